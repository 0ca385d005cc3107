/**
 * A manual entry: a journal entry that somebody asked for by API, and no resource booked. Its postings are the ledger's; who asked, and
 * the references of the request, stand here under the entry's id. It mints nothing and sets no rate: it joins customers' accounts with
 * each other, or accounts of the organisation's own chart with each other.
 * Next: post-entries.ts, reverse-entry.ts, entry-view.ts.
 */
import type { Account } from '../../ledger/account/account.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface ManualEntry {
  readonly id: Uuid;
  readonly sequence: bigint;
  readonly actor: string;
  readonly externalId: string | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  /** Hides description and metadata behind their references; null without any. */
  readonly textSalt: Buffer | null;
  readonly createdAt: Instant;
}

/** The reversal of an entry. */
export interface EntryReversal {
  /** The entry that is reversed. */
  readonly entryId: Uuid;
  readonly reversalId: Uuid;
}

export const POSTINGS_MAX = 100;
/** Of a batch. */
export const BATCH_ENTRIES_MAX = 100;
export const BATCH_POSTINGS_MAX = 200;
/** Accounts that a request may expect something of. */
export const EXPECTATIONS_MAX = 100;

/** What a manual entry is a step of, and the only step: of itself. */
export const MANUAL = { resource: 'entry', step: 'posted' } as const;

/** Whether one posting may join the two. */
export function mayJoin(one: Account, other: Account): boolean {
  return one.code === other.code && (one.code === 'customer' || one.code === 'own');
}
