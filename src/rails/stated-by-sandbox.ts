/** What the sandbox's bank is asked for and answers: a statement of a bank account as a file. */
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

/** What makes a statement harder to explain. */
export const NOISES = [
  /** A charge of the bank's, which nothing explains. */
  'fee',
  /** Two payouts as one line, which names neither. */
  'merged',
  /** The last movement stands on the next statement. */
  'late',
  /** The end-to-end id of a payout is cut off. */
  'cut_reference',
  /** A line that the bank booked by mistake, and its reversal. */
  'reversed',
] as const;

export type Noise = (typeof NOISES)[number];

/** Money that a simulation lets arrive, before a book has taken it. */
export interface OfferedCredit {
  /** Of the transfer. */
  readonly id: Uuid;
  /** The book. */
  readonly originator: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly reference: string;
}

export interface StatementRequest {
  /** The same key gets the same file. */
  readonly key: string;
  readonly account: StatedAccount;
  /** The last day that it states: YYYY-MM-DD. */
  readonly on: string;
  readonly timeZone: string;
  readonly noise: readonly Noise[];
  readonly madeAt: Instant;
}

export interface StatedAccount {
  readonly id: Uuid;
  readonly name: string;
  readonly identifier: string;
  readonly bic: string | null;
  readonly currency: string;
  /** Where its first statement begins. Later ones begin where the one before ended. */
  readonly balance: bigint;
  readonly openingOn: string;
  /** References of what moved before its opening, and is stated after it. */
  readonly outstanding: readonly string[];
  /** Whether a reversal states its own direction, or that of what it reverses. */
  readonly reversalIndicator: 'entry' | 'original';
}

export type StatementAnswer =
  | { readonly is: 'file'; readonly number: number; readonly file: string }
  /** A later day is stated already. */
  | { readonly is: 'stated'; readonly through: string };
