/**
 * A report that is asked for by API: its parameters, the place of the journal that it is of, and what became of it. Its file stands apart, is
 * sealed and dropped after some days (report-file.ts); what is shown of it here is kept.
 * Invariant: the entries that count are decided by the command that accepts it, so it has the same figures whenever it is written.
 * Next: request-report.ts, write-report.ts, end-report.ts.
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Detail } from '../figures/figures.ts';
import type { ReportFormat, ReportName } from '../figures/kinds.ts';
import type { Axis } from '../figures/place.ts';

export type ReportStatus =
  /** Accepted. The reports pool takes it. */
  | 'pending'
  /** Being written. The reports pool ends it; a process that dies is followed by another, which goes on from the last piece. */
  | 'running'
  /** Its file is there until `expiresAt`. Final. */
  | 'succeeded'
  /** `failure` states why. Final. */
  | 'failed';

export const REPORT_TRANSITIONS: Transitions<ReportStatus> = {
  pending: ['running', 'failed'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export const FAILURES = ['figures_contradicted', 'file_too_long'] as const;
export type FailureCode = (typeof FAILURES)[number];

/** As the row keeps them: minor units as text. */
export interface KeptTotals {
  readonly currency: string;
  readonly debits: string;
  readonly credits: string;
}

export interface Report {
  readonly id: Uuid;
  readonly status: ReportStatus;
  readonly type: ReportName;
  /** Days of the book: YYYY-MM-DD. Of a report as of one day: the same day twice. */
  readonly from: string;
  readonly to: string;
  readonly axis: Axis;
  /** Null: all of them. */
  readonly currency: string | null;
  /** Of types that take them. Null: all accounts; and of those that do not. */
  readonly accountId: Uuid | null;
  readonly detail: Detail | null;
  readonly format: ReportFormat;
  readonly bom: boolean;
  /** The last day was not over: entries behind `throughSequence` may count to it. */
  readonly interim: boolean;
  /** Entries behind it do not count. */
  readonly throughSequence: bigint;
  /** The hash of that entry; null before the first. */
  readonly chainHash: string | null;
  /** Rows that are written. */
  readonly rowsDone: bigint;
  readonly totals: readonly KeptTotals[];
  readonly fileBytes: bigint | null;
  /** Hexadecimal. Null unless it succeeded. */
  readonly sha256: string | null;
  readonly digest: string | null;
  /** When the file is dropped. */
  readonly expiresAt: Instant | null;
  readonly failure: FailureCode | null;
  readonly failureDetail: string | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What a book may have of reports. Published at GET /v1/limits. */
export const REPORT_LIMITS = {
  /** Pending and running. */
  underWay: 10,
  /** With a file that is kept. */
  kept: 100,
  keptDays: 7,
  /** Of one file. */
  fileBytes: 1024 * 1024 * 1024,
  /** Of a statement as PDF, which is drawn in memory. */
  pdfLines: 20_000,
  /** Of all files together, when another report is asked for. */
  bookBytes: 4 * 1024 * 1024 * 1024,
} as const;
