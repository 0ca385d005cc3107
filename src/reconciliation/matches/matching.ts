/**
 * What matching reads and answers. Its function is pure: the same lines, items and rules give the same matches, whatever their order.
 * Next: match-lines.ts (the ladder of rules), named-items.ts (what a line names).
 */
import type { CalendarName } from '../../calendar/business-days.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PartyAtBank } from '../accounts/bank-account.ts';
import type { DifferenceTo } from '../rules/bank-account-rules.ts';

/** Strongest first. A line that a stronger rule has matched is not a weaker one's. */
export const RULES = [
  'bank_reference',
  'end_to_end_id',
  'reference_in_text',
  'reference_cut',
  'details',
  'batch',
  'split',
  'reversal',
  'own_transfer',
  'sequence',
  'day',
  'amount_counterparty',
  'charges',
  'tolerance',
  'booking_rule',
] as const;

export type Rule = (typeof RULES)[number];

/** A posted line of a statement, with what is open of it. */
export interface OpenLine {
  readonly id: Uuid;
  readonly bankAccountId: Uuid;
  /** YYYY-MM-DD. */
  readonly bookedOn: string;
  /** In its statement. */
  readonly place: number;
  /** Minor units, what is open; money in is positive. */
  readonly amount: bigint;
  readonly currency: string;
  readonly bankReference: string | null;
  readonly endToEndId: string | null;
  readonly refs: readonly string[];
  readonly batchId: string | null;
  readonly batchTransactions: number | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly text: string | null;
  readonly code: string | null;
  readonly charges: readonly {
    readonly amount: string;
    readonly currency: string;
    readonly included: boolean | null;
  }[];
  /** The movements that it is of, where the bank states several: minor units as decimal text. */
  readonly details: readonly { readonly amount: string; readonly endToEndId: string | null }[];
  /** Where a book has it by its credit: what the items are about that alone take it (lines/credit-of-line-store.ts). */
  readonly awaits?: readonly Uuid[];
}

/** A movement that a bank is to show. One that is matched is here too, so that a line that names it again is recognized. */
export interface MatchItem {
  readonly id: Uuid;
  readonly party: string | null;
  readonly clearingAccountId: Uuid;
  /** Minor units, what is open; money in is positive, and nothing is left of a matched one. */
  readonly amount: bigint;
  /** Minor units of all of it, with the same sign, whatever lines have shown. */
  readonly whole: bigint;
  /** Lines have shown a part of it, and the rest is open. */
  readonly isPartly: boolean;
  readonly direction: 'in' | 'out';
  readonly currency: string;
  /** YYYY-MM-DD. */
  readonly expectedOn: string;
  readonly endToEndId: string | null;
  readonly bankReference: string | null;
  readonly documentReference: string | null;
  readonly batchId: string | null;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly exceptionId: Uuid | null;
}

export interface Tolerance {
  readonly party: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly to: DifferenceTo;
}

export interface BookingRule {
  readonly name: string;
  readonly direction: 'in' | 'out';
  readonly code: string | null;
  readonly text: string | null;
  readonly counterparty: string | null;
  /** Minor units. A line of more is left to people. */
  readonly amountMax: bigint;
  readonly to: DifferenceTo;
}

/** How lines of a bank account are matched. */
export interface AccountRules {
  /** Of the tolerances and bookings. Null while no version is active. */
  readonly version: number | null;
  readonly calendar: CalendarName;
  /** Business days in which a line may stand before and after the day on which an item is expected. */
  readonly window: { readonly before: number; readonly after: number };
  readonly parties: readonly PartyAtBank[];
  readonly tolerances: readonly Tolerance[];
  readonly bookings: readonly BookingRule[];
}

export interface MatchingRules {
  readonly accounts: ReadonlyMap<Uuid, AccountRules>;
  /** The operator's own bank accounts, by what names them. */
  readonly own: ReadonlyMap<string, Uuid>;
}

/** A part of a line or item: all that was open of it, or less. */
export interface Part {
  readonly id: Uuid;
  /** Minor units; money in is positive. */
  readonly amount: bigint;
}

export interface Difference {
  readonly to: DifferenceTo;
  /** Lines less items; negative where more has left, or less has come. */
  readonly amount: bigint;
}

export interface Match {
  readonly rule: Rule;
  readonly reason: string;
  readonly lines: readonly Part[];
  readonly items: readonly Part[];
  readonly difference: Difference | null;
}

export interface Proposal {
  readonly rule: Rule | 'amount';
  readonly reason: string;
  readonly itemIds: readonly Uuid[];
  /** Lines less items. */
  readonly difference: bigint;
}

/** What a line is that no rule confirms: the kind of its exception. */
export const LEFT_KINDS = [
  'inbound_unallocated',
  'bank_line_unmatched',
  'bank_amount_differs',
  'bank_paid_twice',
  'payout_returned_at_bank',
] as const;

export type LeftKind = (typeof LEFT_KINDS)[number];

/** A line that no rule confirms. */
export interface LeftLine {
  readonly lineId: Uuid;
  readonly kind: LeftKind;
  readonly detail: string;
  readonly proposals: readonly Proposal[];
}

export interface MatchInput {
  readonly lines: readonly OpenLine[];
  readonly items: readonly MatchItem[];
  readonly rules: MatchingRules;
  /** Matches that people have undone, by `matchKey`: no rule confirms one of them again. Left out: none. */
  readonly undone?: ReadonlySet<string>;
}

interface Facts {
  readonly lines: readonly { readonly id: Uuid }[];
  readonly items: readonly { readonly id: Uuid }[];
  readonly difference: Difference | null;
}

/** What makes two matches the same: lines, items, and where the difference goes. */
export function matchKey({ lines, items, difference }: Facts): string {
  const idsOf = (parts: Facts['lines']) =>
    parts
      .map(({ id }) => id)
      .sort()
      .join(' ');
  return `${idsOf(lines)} | ${idsOf(items)} | ${difference === null ? '' : `${difference.amount} ${difference.to}`}`;
}

export interface Matched {
  readonly matches: readonly Match[];
  readonly left: readonly LeftLine[];
}
