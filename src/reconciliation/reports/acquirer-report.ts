/**
 * A report of an acquirer, as the operator's book has it: what the acquirer states that it pays, of all books. `npm run settle` keeps it; it is posted here
 * once, as one expected item a currency, whatever books make of its lines.
 * Invariant: posted, its totals are those of its parts, and one entry a currency has booked them.
 * Next: acquirer-report-table.ts (its rows), post-report.ts.
 */
import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type AcquirerReportStatus =
  /** Kept. The ledger pool posts it, once a bank account is there. */
  | 'received'
  /** Booked, and expected at a bank. Final. */
  | 'posted';

export const ACQUIRER_REPORT_TRANSITIONS: Transitions<AcquirerReportStatus> = { received: ['posted'], posted: [] };

/** What a report comes to in one currency, in minor units as decimal text: JSON has no bigint. */
export interface ReportTotal {
  readonly currency: string;
  /** Of what payers paid, less what went back to them. */
  readonly gross: string;
  /** What the acquirer keeps. */
  readonly cost: string;
  /** Null where nothing is paid. */
  readonly itemId: Uuid | null;
}

export interface AcquirerReport {
  readonly id: Uuid;
  readonly acquirer: string;
  /** Hexadecimal, of its bytes. */
  readonly sha256: string;
  readonly lines: number;
  readonly status: AcquirerReportStatus;
  /** Empty until it is posted. In order of currency. */
  readonly totals: readonly ReportTotal[];
  readonly entryIds: readonly Uuid[];
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What the acquirer pays; negative where it takes. */
export const netOf = ({ gross, cost }: Pick<ReportTotal, 'gross' | 'cost'>): bigint => BigInt(gross) - BigInt(cost);

/** The step of the entry of a currency. */
export const stepOf = (currency: string): string => `posted_${currency}`;
