/**
 * A journal entry: one or more postings that belong together. A posting moves one positive amount in one currency from
 * one account to another ("A → B": debit A, credit B), so an entry balances by its shape.
 */
import type { Instant } from '../clock.ts';
import type { Uuid } from '../ids.ts';

export interface PostingDraft {
  readonly debit: Uuid;
  readonly credit: Uuid;
  readonly amount: bigint;
}

export interface Posting {
  /** From 1 within its entry. */
  readonly ordinal: number;
  readonly debitAccountId: Uuid;
  readonly creditAccountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  /** The gapless line number of the account, and its posted balance after this line in its own direction. */
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
  /** What the entry is a step of: `payout`, and its id. A step is booked at most once. */
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly step: string;
  readonly postedAt: Instant;
  readonly effectiveAt: Instant;
  readonly requestId: Uuid;
  readonly floorOverridden: boolean;
  /** Salted SHA-256 of free text, which itself stays erasable. */
  readonly textDigest: Buffer | null;
  readonly text: EntryText | null;
  readonly postings: readonly Posting[];
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string;
}
