/** The lines of a statement of the sandbox's bank: what moved, and what was asked for beside it. Pure. */
import type { Uuid } from '../values/ids.ts';
import type { Noise } from './stated-by-sandbox.ts';

export type MovementKind = 'payout' | 'return' | 'settlement' | 'credit';

export interface BankMovement {
  readonly id: Uuid;
  readonly kind: MovementKind;
  /** Minor units; money in is positive. */
  readonly amount: bigint;
  /** YYYY-MM-DD, in the time zone of the bank account. */
  readonly on: string;
  readonly reference: string;
  readonly endToEndId: string | null;
}

export interface StatedLine {
  readonly kind: MovementKind | 'merged' | 'fee' | 'mistake';
  readonly amount: bigint;
  readonly on: string;
  /** The bank's own. Null: numbered with the statement. */
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly text: string | null;
  readonly isReversal: boolean;
  /** Of a line that has several. */
  readonly transactions: number | null;
}

/** Minor units of the account. */
const FEE = 500n;
const MISTAKE = 1_000n;
/** As long as the reference of an MT940. */
const CUT_TO = 16;

export interface LinesOf {
  /** Oldest first. */
  readonly movements: readonly BankMovement[];
  readonly noise: readonly Noise[];
  readonly from: string;
  readonly to: string;
}

/** The ids are those of movements that the lines state. Noise that finds nothing to change is left out. */
export function linesOf({ movements, noise, from, to }: LinesOf): {
  readonly lines: readonly StatedLine[];
  readonly ids: readonly Uuid[];
} {
  const stated = noise.includes('late') ? movements.slice(0, -1) : movements;
  const payouts = stated.filter(({ kind }) => kind === 'payout');
  const merged = noise.includes('merged') && payouts.length >= 2 ? payouts.slice(0, 2) : [];
  const cut = noise.includes('cut_reference') ? payouts.slice(merged.length).at(0) : undefined;
  const within = (on: string) => (on < from ? from : on > to ? to : on);
  const single = stated.filter((movement) => !merged.includes(movement));
  return {
    lines: [
      ...single.map((movement) => lineOf(movement, { on: within(movement.on), isCut: movement === cut })),
      ...(merged.length === 0 ? [] : [mergedLine(merged, to)]),
      ...(noise.includes('fee') ? [{ ...BLANK, kind: 'fee' as const, amount: -FEE, on: to, text: 'Charges' }] : []),
      ...(noise.includes('reversed') ? mistake(to) : []),
    ],
    ids: stated.map(({ id }) => id),
  };
}

const BLANK = { reference: null, endToEndId: null, text: null, isReversal: false, transactions: null };

function lineOf(movement: BankMovement, { on, isCut }: { on: string; isCut: boolean }): StatedLine {
  const { kind, amount, reference, endToEndId } = movement;
  const line = { ...BLANK, kind, amount, on };
  switch (kind) {
    // Both are known by the id that the rail was given: the bank's own reference is another one.
    case 'payout':
    case 'return':
      return { ...line, endToEndId: isCut ? (endToEndId?.slice(0, CUT_TO) ?? null) : endToEndId };
    case 'settlement':
      return { ...line, text: reference };
    case 'credit':
      return { ...line, reference };
  }
}

function mergedLine(merged: readonly BankMovement[], on: string): StatedLine {
  const amount = merged.reduce((sum, movement) => sum + movement.amount, 0n);
  return { ...BLANK, kind: 'merged', amount, on, transactions: merged.length };
}

/** The reference that both share is numbered with the statement. */
function mistake(on: string): StatedLine[] {
  const line = { ...BLANK, kind: 'mistake', on, text: 'Booked by mistake' } as const;
  return [
    { ...line, amount: -MISTAKE },
    { ...line, amount: MISTAKE, isReversal: true },
  ];
}
