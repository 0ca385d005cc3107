/** Reports with their entries, and with what their parts come to. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, grouped, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import type { AcquirerReport } from '../acquirer-report.ts';
import { acquirerReports } from '../acquirer-report-table.ts';

export interface ReportHistory {
  readonly report: AcquirerReport;
  readonly entries: readonly BookedStep[];
  /** Of its parts, in order of currency. */
  readonly parts: readonly { readonly currency: string; readonly gross: bigint; readonly cost: bigint }[];
}

/** Indexes: acquirer_reports_pkey, acquirer_report_parts_by_report, entries' (book, resource, step). */
export function readReportHistories(
  pool: Pool,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<ReportHistory[]> {
  return histories(pool, bookId, { where: 'id > $2 ORDER BY id LIMIT $3', values: [after, limit] });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readReportHistoriesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<ReportHistory[]> {
  return histories(pool, bookId, { where: 'id = ANY ($2::uuid[])', values: [plainArray(ids)] });
}

function histories(
  pool: Pool,
  bookId: BookId,
  { where, values }: { where: string; values: readonly unknown[] },
): Promise<ReportHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query(
      `SELECT ${acquirerReports.selected()} FROM acquirer_reports WHERE book_id = $1 AND ${where}`,
      [bookId, ...values],
    );
    const reports = rows.map(acquirerReports.fromRow);
    const ids = reports.map(({ id }) => id);
    const { rows: sums } = await trx.query<{ report_id: Uuid; currency: string; gross: bigint; cost: bigint }>(
      `SELECT report_id, currency, sum(gross)::bigint AS gross, sum(cost)::bigint AS cost FROM acquirer_report_parts
       WHERE book_id = $1 AND report_id = ANY ($2::uuid[]) GROUP BY report_id, currency ORDER BY currency`,
      [bookId, plainArray(ids)],
    );
    const parts = grouped(
      sums,
      ({ report_id: id }) => id,
      ({ currency, gross, cost }) => ({ currency, gross, cost }),
    );
    const steps = await readStepsOf(trx, bookId, ids);
    return reports.map((report) => ({
      report,
      entries: steps.get(report.id) ?? [],
      parts: parts.get(report.id) ?? [],
    }));
  });
}
