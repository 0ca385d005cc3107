import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { ReportName } from '../figures/kinds.ts';
import { REPORT_LIMITS, type Report, type ReportStatus } from './report.ts';
import { reports } from './report-table.ts';

/** A page of reports, newest first. Index: reports_pkey. */
export function listReports(
  db: Queryable,
  {
    bookId,
    statuses,
    types,
  }: {
    readonly bookId: BookId;
    readonly statuses: readonly ReportStatus[] | undefined;
    readonly types: readonly ReportName[] | undefined;
  },
  page: PageRequest,
): Promise<Page<Report>> {
  return listRows(db, { table: reports }, { bookId, filter: { equal: { status: statuses, type: types } }, page });
}

export interface ReportsOfBook {
  readonly underWay: number;
  readonly kept: number;
  readonly bytes: bigint;
}

/** What a book has of reports, each up to its limit. Indexes: reports_under_way, report_files_pkey. */
export async function countReports(db: Queryable, bookId: BookId): Promise<ReportsOfBook> {
  const { rows } = await db.query<ReportsOfBook>({
    name: 'reports.counted',
    text: `SELECT u.count::integer AS "underWay", f.count::integer AS kept, f.bytes FROM
      (SELECT count(*) FROM (
        SELECT FROM reports WHERE book_id = $1 AND status IN ('pending', 'running') LIMIT $2) AS under_way) AS u,
      (SELECT count(*), COALESCE(sum(bytes), 0)::bigint AS bytes FROM (
        SELECT bytes FROM report_files WHERE book_id = $1 LIMIT $3) AS kept) AS f`,
    values: [bookId, REPORT_LIMITS.underWay, REPORT_LIMITS.kept],
  });
  return rows[0]!;
}
