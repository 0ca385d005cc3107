/**
 * A journal entry: one or more postings that belong together. A posting moves one positive amount in one currency from
 * one account to another ("A → B": debit A, credit B), so an entry balances by its shape.
 */
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface PostingDraft {
  readonly debit: Uuid;
  readonly credit: Uuid;
  readonly amount: bigint;
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
  readonly postings: readonly Posting[];
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string;
}
