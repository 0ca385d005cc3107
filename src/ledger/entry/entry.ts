/**
 * A journal entry: one or more postings that belong together. A posting moves one positive amount in one currency from
 * one account to another ("A → B": debit A, credit B), so an entry balances by its shape.
 */
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { type Account, posted } from '../account/account.ts';

export interface PostingDraft {
  readonly debit: Uuid;
  readonly credit: Uuid;
  readonly amount: bigint;
  /** An open hold on the debited account: the amount is captured from it. */
  readonly hold?: Uuid;
}

export interface Posting {
  /** Counts from 1 within the entry. */
  readonly ordinal: number;
  readonly debitAccountId: Uuid;
  readonly creditAccountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  /** The account's gapless line number, and its posted balance after this line, counted on its own side. */
  readonly debitLine: bigint;
  readonly debitBalanceAfter: bigint;
  readonly creditLine: bigint;
  readonly creditBalanceAfter: bigint;
}

export interface EntryText {
  readonly salt: Buffer;
  readonly description: string;
}

export interface Entry {
  readonly sequence: bigint;
  readonly id: Uuid;
  /** The resource that the entry is a step of, such as `payout`, and its id. A step is booked at most once. */
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly step: string;
  readonly postedAt: Instant;
  readonly effectiveAt: Instant;
  readonly requestId: Uuid;
  readonly floorOverridden: boolean;
  /** Salted SHA-256 of the free text. The text itself can be erased. */
  readonly textDigest: Buffer | null;
  readonly text: EntryText | null;
  /** The entry that this one takes back. */
  readonly reverses: Uuid | null;
  /** The day on which it happened, where that day was closed when it was booked, or was not yet a day of the book. */
  readonly occurredOn: string | null;
  readonly postings: readonly Posting[];
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string;
}

/** A posting, from its two accounts as they are after it: their line numbers and balances are those of the posting. */
export function newPosting(line: { ordinal: number; amount: bigint; debited: Account; credited: Account }): Posting {
  return {
    ordinal: line.ordinal,
    debitAccountId: line.debited.id,
    creditAccountId: line.credited.id,
    amount: line.amount,
    currency: line.debited.currency,
    debitLine: line.debited.lines,
    debitBalanceAfter: posted(line.debited),
    creditLine: line.credited.lines,
    creditBalanceAfter: posted(line.credited),
  };
}
