/**
 * A period: days of a book that are closed, up to and including `through`. From the commit that makes it on, no entry takes effect on these
 * days; what was in by then is `throughSequence`.
 * Next: close-books.ts, end-close.ts, reopen-books.ts, period-store.ts.
 */
import type { Finding } from '../../group/finding.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type PeriodStatus =
  /** The days are closed, and what came since the last close is verified. The ledger pool moves it. */
  | 'pending'
  /** Nothing was found. */
  | 'closed'
  /** Something was found: the days are open again. Final. */
  | 'refused'
  /** A person has opened the days again. Final. */
  | 'reopened';

export const PERIOD_TRANSITIONS: Transitions<PeriodStatus> = {
  pending: ['closed', 'refused'],
  closed: ['reopened'],
  refused: [],
  reopened: [],
};

/** What was found, without the book, which is the period's. */
export type PeriodFinding = Omit<Finding, 'book'>;

/** What was open when the days were closed, and stays so. */
export interface OpenItems {
  readonly type: string;
  readonly count: number;
}

/** Findings that a period keeps. */
export const FINDINGS_MAX = 100;

export interface Period {
  readonly id: Uuid;
  readonly status: PeriodStatus;
  /** A day of the book: YYYY-MM-DD. */
  readonly through: string;
  /** Through which day the book was closed before. */
  readonly closedBefore: string | null;
  /** Entries and events behind these are verified: those before it were by an earlier period. */
  readonly sinceSequence: bigint;
  readonly sinceEvent: bigint;
  /** The last entry and the last event when the days were closed. */
  readonly throughSequence: bigint;
  readonly throughEvent: bigint;
  /** The hash of the last entry. */
  readonly chainHash: string;
  /** Null unless it was closed. */
  readonly trialBalanceDigest: string | null;
  readonly findings: readonly PeriodFinding[];
  readonly findingsTotal: number;
  readonly openItems: readonly OpenItems[];
  readonly actor: string;
  /** Null where none was given, and once erased. */
  readonly reason: string | null;
  readonly reopenedBy: string | null;
  readonly reopeningReason: string | null;
  readonly reopenedAt: Instant | null;
  /** The last day that stayed closed; null where none did. */
  readonly reopenedAfter: string | null;
  /** Hides both reasons behind their references; null without any. */
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
