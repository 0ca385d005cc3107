/**
 * A line of a bank statement: one movement that the bank has booked.
 * Invariant: once `open`, it is posted, and its entry moved its amount between the bank account and unallocated or suspense. A line of a book's own
 * comparison has no entry.
 */
import { createHash } from 'node:crypto';
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import { idSequence, type Uuid } from '../../values/ids.ts';
import type { BankFileLine, Charge, LineDetail, OriginalAmount } from '../reading/bank-file.ts';

export type BankLineStatus =
  /** Kept, and not posted: its statement is read, or held. */
  | 'pending'
  /** Posted, and not explained. The posting of its statement moves it here, and a match that is undone. One that is compared begins here. */
  | 'open'
  /** Matches explain a part of it. */
  | 'partly_matched'
  /** Matches explain all of it. A line of nothing is so at once: nothing of it is left to explain. */
  | 'matched';

export const BANK_LINE_TRANSITIONS: Transitions<BankLineStatus> = {
  pending: ['open', 'matched'],
  open: ['partly_matched', 'matched'],
  partly_matched: ['open', 'matched'],
  matched: ['open', 'partly_matched'],
};

export interface BankLine {
  readonly id: Uuid;
  readonly statementId: Uuid;
  /** Null in a book's own comparison. */
  readonly bankAccountId: Uuid | null;
  /** Of a book's own comparison: the account whose lines it is compared with. Such a line is never posted. */
  readonly comparedAccountId: Uuid | null;
  readonly place: number;
  readonly rowNumber: number;
  readonly bookedOn: string;
  readonly valueOn: string | null;
  /** Minor units; money in is positive. */
  readonly amount: bigint;
  readonly currency: string;
  readonly status: BankLineStatus;
  readonly bankReference: string | null;
  readonly endToEndId: string | null;
  readonly refs: readonly string[];
  readonly batchId: string | null;
  readonly batchTransactions: number | null;
  readonly counterpartyName: string | null;
  readonly counterpartyAccount: string | null;
  readonly text: string | null;
  readonly code: string | null;
  readonly charges: readonly (Omit<Charge, 'amount'> & { readonly amount: string })[];
  readonly original: (Omit<OriginalAmount, 'amount'> & { readonly amount: string }) | null;
  /** The movements that it is of, where the bank states several. */
  readonly details: readonly (Omit<LineDetail, 'amount'> & { readonly amount: string })[];
  readonly isReversal: boolean;
  /** Hexadecimal. */
  readonly likeness: string;
  readonly entryId: Uuid | null;
  /** What matches explain of the amount, with its sign. */
  readonly matched: bigint;
  /** Of those that are confirmed. */
  readonly matchIds: readonly Uuid[];
  /** The last one about the line, or about its statement. */
  readonly exceptionId: Uuid | null;
  readonly createdAt: Instant;
  /** For whom money is that arrived, where an answer shows it (allocation-store.ts). Never stored. */
  readonly allocation?: Allocation | undefined;
}

export interface Allocation {
  readonly bookId: Uuid;
  /** Null until persons of the book name the account. */
  readonly accountId: Uuid | null;
  /** Null where persons have moved it. */
  readonly transferId: Uuid | null;
}

/** What nothing explains yet, with the sign of the amount. */
export function openAmount({ amount, matched }: Pick<BankLine, 'amount' | 'matched'>): bigint {
  return amount - matched;
}

/** As many as the last four digits of an id count. */
const PLACES_PER_SERIES = 65_536;

/** Ids of the lines of a statement, in their order: the same ones whenever its file is read. */
export function bankLineId(statementId: Uuid, place: number): Uuid {
  const [series, tail] = [Math.floor(place / PLACES_PER_SERIES), place % PLACES_PER_SERIES];
  return `${idSequence(statementId, 1 + series)().slice(0, -4)}${tail.toString(16).padStart(4, '0')}`;
}

/** The amount as it moves money, however the bank states reversals. */
export function movedAmount(
  { amount, isReversal }: Pick<BankFileLine, 'amount' | 'isReversal'>,
  reversalIndicator: 'entry' | 'original',
): bigint {
  return isReversal && reversalIndicator === 'original' ? -amount : amount;
}

/** The movements that it is of, as they move money. */
export function movedDetails(
  { details, isReversal }: Pick<BankFileLine, 'details' | 'isReversal'>,
  reversalIndicator: 'entry' | 'original',
): BankLine['details'] {
  return details.map(({ amount, endToEndId }) => ({
    ...{ amount: String(movedAmount({ amount, isReversal }, reversalIndicator)), endToEndId },
  }));
}

/** What shows a line from others of its account, where a file has no balances to show statements apart by. */
export function likenessOf(line: BankFileLine): string {
  const { bookedOn, amount, currency, bankReference, endToEndId, counterpartyName, counterpartyAccount, text } = line;
  const facts = [
    bookedOn,
    String(amount),
    currency,
    bankReference,
    endToEndId,
    counterpartyName,
    counterpartyAccount,
    text,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
