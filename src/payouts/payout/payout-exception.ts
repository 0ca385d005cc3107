/** What a person must look at about a payout: a row, and an event. */
import type { Pool } from '../../db/pool.ts';
import { isEnded } from '../../exceptions/exception.ts';
import type { ExceptionKind } from '../../exceptions/exception-kind.ts';
import { hasOpenException } from '../../exceptions/exception-store.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { type OpenException, openException } from '../../exceptions/open-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { RailWarning } from '../../rails/rail.ts';
import { deriveId, type Uuid } from '../../values/ids.ts';
import type { Payout } from './payout.ts';
import { MISMATCH_KINDS, type RailMismatch } from './rail-mismatch.ts';

/** Puts a contradiction before a person. */
export function raise(draft: Draft, payout: Payout, exception: { kind: ExceptionKind; detail: string }): void {
  open(draft, payout, { id: draft.mintId(), ...exception });
}

/** The same with money that came to the bank and is nobody's: two persons name its owner. */
export function raiseAtBank(
  draft: Draft,
  payout: Payout,
  { amount, ...exception }: { kind: ExceptionKind; detail: string; amount: bigint },
): void {
  const waiting = { accountId: null, amount, currency: payout.currency };
  open(draft, payout, { id: draft.mintId(), ...exception, ...(draft.forms.moneyIn && { waiting }) });
}

/**
 * Puts mismatches before a person, each kind once while the payout is open and once when it is final, however often the rail
 * repeats itself. The command declares `mismatchTouches`.
 */
export function raiseMismatches(draft: Draft, payout: Payout, mismatches: readonly RailMismatch[]): void {
  for (const { kind, detail } of mismatches) {
    const [whileOpen, whenFinal] = mismatchIds(payout, kind);
    const isOpen = payout.status === 'processing';
    // A payout that has ended was sent again before its end was known: the rail reports nothing new.
    if (!isOpen && kind === 'rail_duplicate') continue;
    const id = isOpen ? whileOpen : whenFinal;
    if (draft.get(exceptions, id)) continue;
    const whole = `${detail} ${isOpen ? 'Its outcome is unknown until the rail confirms the payout or a person resolves it.' : 'Nothing was booked.'}`;
    open(draft, payout, { id, kind, detail: whole });
  }
}

export function mismatchTouches(payout: Payout, mismatches: readonly RailMismatch[]): Touch[] {
  if (mismatches.length === 0) return [];
  return [{ table: exceptions, ids: mismatches.flatMap(({ kind }) => mismatchIds(payout, kind)) }];
}

/** Of every mismatch that may be open about a payout in processing. */
export function openMismatchTouches(payout: Payout): Touch[] {
  return [{ table: exceptions, ids: MISMATCH_KINDS.map((kind) => mismatchIds(payout, kind)[0]) }];
}

/**
 * The rail reported another payment under this payout's id, and no second person has approved a resolution. The command
 * declares `openMismatchTouches`.
 */
export function isMismatchOpen(draft: Draft, payout: Payout): boolean {
  return MISMATCH_KINDS.some((kind) => {
    const exception = draft.get(exceptions, mismatchIds(payout, kind)[0]);
    return exception !== undefined && !isEnded(exception);
  });
}

const WARNINGS: Readonly<Record<RailWarning, string>> = {
  rail_silent: 'No report of the rail about the payout came in time. It was not sent again.',
  return_without_debit: 'Money of the payout came back, and no debit shows that it left. Nothing was booked.',
};

/** Puts a warning of the rail before a person, once. The command declares `warningTouches`. */
export function raiseWarning(draft: Draft, payout: Payout, warning: RailWarning): void {
  const id = warningId(payout, warning);
  if (draft.get(exceptions, id) === undefined) open(draft, payout, { id, kind: warning, detail: WARNINGS[warning] });
}

export function warningTouches(payout: Payout, warning: RailWarning): Touch[] {
  return [{ table: exceptions, ids: [warningId(payout, warning)] }];
}

/** Less came back than the rail had to return: once a payout. The command declares `shortTouches`. */
export function raiseShort(draft: Draft, payout: Payout, amount: bigint): void {
  const id = shortId(payout);
  if (draft.get(exceptions, id) !== undefined) return;
  const detail = `The rail returned ${amount} of ${payout.amount}: less than the payout, as where a bank takes charges. What came was booked.`;
  open(draft, payout, { id, kind: 'return_short', detail });
}

export function shortTouches(payout: Payout): Touch[] {
  return [{ table: exceptions, ids: [shortId(payout)] }];
}

const shortId = (payout: Payout) => deriveId('exception', payout.id, 'return_short');

const warningId = (payout: Payout, warning: RailWarning) => deriveId('exception', payout.id, warning);

/** The same, asked outside of a command. */
export function hasOpenMismatch(pool: Pool, bookId: BookId, payoutId: Uuid): Promise<boolean> {
  return hasOpenException(pool, bookId, { resource: 'payout', resourceId: payoutId, kinds: MISMATCH_KINDS });
}

function mismatchIds(payout: Payout, kind: RailMismatch['kind']): [whileOpen: Uuid, whenFinal: Uuid] {
  return [deriveId('exception', payout.id, kind), deriveId('exception', payout.id, kind, 'final')];
}

function open(
  draft: Draft,
  payout: Payout,
  exception: Pick<OpenException, 'id' | 'kind' | 'detail' | 'waiting'>,
): void {
  openException(draft, { ...exception, resource: 'payout', resourceId: payout.id });
}
