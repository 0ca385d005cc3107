/**
 * What a bank's file states, whatever its format: statements, and the lines of each. Readers are pure: bytes are pushed, and what is complete
 * comes back. The lines of a statement come before the statement itself, since only its end states what it closes with.
 * Next: read-file.ts (which reader reads a file), check-statement.ts (whether a statement foots).
 */

export type BankFormat = 'camt.052' | 'camt.053' | 'camt.054' | 'MT940' | 'MT942' | 'BAI2' | 'CSV';

/** What a message is for. Which of the first two posts, the bank account states. */
export type MessageKind =
  /** What was booked on a finished day: camt.053, MT940. */
  | 'statement'
  /** What was booked so far today: camt.052, MT942. */
  | 'report'
  /** Single movements: camt.054. It informs, and nothing is posted from it. */
  | 'notification';

/** Whether the bank has booked it. */
export type LineStanding = 'booked' | 'pending';

export interface Charge {
  /** Minor units; positive where the bank takes it. */
  readonly amount: bigint;
  readonly currency: string;
  /** Whether the amount of the line contains it. Null where the bank does not state. */
  readonly included: boolean | null;
}

/** What was ordered, where that is another amount than what was booked. */
export interface OriginalAmount {
  readonly amount: bigint;
  readonly currency: string;
  /** As the bank writes it. */
  readonly rate: string | null;
}

/** A movement of several that the bank has booked as one line. */
export interface LineDetail {
  /** Minor units of the line's currency, as the file states the direction: money in is positive. */
  readonly amount: bigint;
  readonly endToEndId: string | null;
}

/** Of a line with more, none are kept: it is matched as a whole. */
export const DETAILS_MAX = 1_000;

export interface BankFileLine {
  /** Where it stands in the file: a line from 1. */
  readonly row: number;
  readonly standing: LineStanding;
  /** Of a notification: the bank has booked it, and a statement will post it. */
  readonly notified?: true;
  /** YYYY-MM-DD. */
  readonly bookedOn: string;
  readonly valueOn: string | null;
  /** Minor units of `currency`, as the file states the direction: money in is positive. */
  readonly amount: bigint;
  readonly currency: string;
  /** The bank calls it a reversal. What its direction means then, the bank account states. */
  readonly isReversal: boolean;
  readonly bankReference: string | null;
  readonly endToEndId: string | null;
  readonly references: readonly string[];
  readonly batch: { readonly id: string | null; readonly transactions: number | null } | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly text: string | null;
  /** What kind of movement it is, as the bank codes it. */
  readonly code: string | null;
  readonly charges: readonly Charge[];
  readonly original: OriginalAmount | null;
  /** Empty where the line is one movement and has its amount, or one of several states no amount in the currency of the line. */
  readonly details: readonly LineDetail[];
}

/** Whether movements come to the amount of their line: before the charges that the bank states, or behind them. True where none are stated. */
export function comeTo(
  { amount, currency, charges }: Pick<BankFileLine, 'amount' | 'currency' | 'charges'>,
  details: readonly LineDetail[],
): boolean {
  const stated = details.reduce((sum, one) => sum + one.amount, 0n);
  const charged = charges.reduce((sum, one) => (one.currency === currency ? sum + one.amount : sum), 0n);
  return details.length === 0 || stated === amount || stated - charged === amount;
}

export interface StatedBalance {
  /** Minor units; negative where the account is overdrawn. */
  readonly amount: bigint;
  readonly on: string;
}

export interface Page {
  readonly number: number;
  /** The statement begins with it. */
  readonly isFirst: boolean;
  /** The statement ends with it. */
  readonly isLast: boolean;
}

/** Why nothing of a statement is read, though the file is whole. */
export interface StatementFault {
  readonly row: number | null;
  readonly detail: string;
}

export interface BankFileStatement {
  readonly kind: MessageKind;
  /** Where it begins in the file. */
  readonly row: number;
  /** As the bank names the account: an IBAN, or its own number. */
  readonly account: string;
  /** Null where no amount states it. */
  readonly currency: string | null;
  readonly number: string | null;
  readonly page: Page | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly opening: StatedBalance | null;
  readonly closing: StatedBalance | null;
  /** Amounts in other currencies than the account's. */
  readonly otherCurrencies: readonly string[];
  /** BAI2: what the bank states of the group, where that is not new statements. */
  readonly groupStatus: 'test' | 'deletion' | 'correction' | null;
  readonly fault: StatementFault | null;
}

/** What a reader gives, in the order of the file. */
export type Read =
  | { readonly is: 'line'; readonly line: BankFileLine }
  | { readonly is: 'statement'; readonly statement: BankFileStatement };

export interface BankFileReader {
  /** Throws BadInput, with the line, for what makes the whole file unreadable. */
  push(bytes: Buffer): readonly Read[];
  /** The same, for a file that ends too early. */
  end(): readonly Read[];
}

/** A statement is wrong in itself. Its reader goes on with the next one. */
export class StatementInvalid extends Error {
  override name = 'StatementInvalid';
  constructor(
    readonly row: number | null,
    detail: string,
  ) {
    super(detail);
  }
}

/** Much longer than any reference of a bank: what is longer is cut, and only texts are. */
export const TEXT_MAX = 2_000;
const REFERENCE_MAX = 255;
export const REFERENCES_MAX = 20;

/** References that stand for no reference (NOTPROVIDED by ISO 20022, NONREF by SWIFT). */
export function givenReference(text: string | null | undefined): string | null {
  const reference = text?.trim() ?? '';
  if (reference === '' || /^(NOTPROVIDED|NONREF|0+)$/i.test(reference)) return null;
  return reference.slice(0, REFERENCE_MAX);
}
