/** The rows of acquirers' reports. `npm run settle` inserts them with their parts; here they are posted. */
import { column, HEX_READ } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';
import type { AcquirerReport, AcquirerReportStatus } from './acquirer-report.ts';

export const acquirerReports = tableOf<AcquirerReport>({
  name: 'acquirer_reports',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('acquirer', 'code'),
    column('sha256', 'hex', { codec: HEX_READ }),
    column('lines', 'integer'),
    column('status', 'code', { changes: true }),
    column('totals', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('entry_ids', 'jsonb', { notPersonal: 'facts', changes: true }),
    column('version', 'integer', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** A page of reports, newest first. Indexes: acquirer_reports_pkey, acquirer_reports_received. */
export function listAcquirerReports(
  db: Queryable,
  { bookId, statuses }: { bookId: BookId; statuses: readonly AcquirerReportStatus[] | undefined },
  page: PageRequest,
): Promise<Page<AcquirerReport>> {
  return listRows(db, { table: acquirerReports }, { bookId, filter: { equal: { status: statuses } }, page });
}

/** Reports that are not posted. Index: acquirer_reports_received. */
export async function listReceivedIds(
  db: Queryable,
  bookId: BookId,
  { after, limit }: { after: Uuid; limit: number },
): Promise<Uuid[]> {
  const { rows } = await db.query<{ id: Uuid }>(
    `SELECT id FROM acquirer_reports WHERE book_id = $1 AND status = 'received' AND id > $2 ORDER BY id LIMIT $3`,
    [bookId, after, limit],
  );
  return rows.map(({ id }) => id);
}

export interface ReadReport {
  /** Of the file. */
  readonly name: string;
  /** Of all books. In order of currency. */
  readonly totals: readonly { readonly currency: string; readonly gross: bigint; readonly cost: bigint }[];
}

/** Indexes: acquirer_reports_pkey, intake_files_pkey, acquirer_report_parts_by_report. */
export async function readReport(db: Queryable, bookId: BookId, id: Uuid): Promise<ReadReport | undefined> {
  const { rows } = await db.query<{ name: string; currency: string; gross: bigint; cost: bigint }>(
    `SELECT f.name, p.currency, sum(p.gross)::bigint AS gross, sum(p.cost)::bigint AS cost
     FROM acquirer_reports r
     JOIN intake_files f ON f.book_id = r.book_id AND f.sha256 = r.sha256
     JOIN acquirer_report_parts p ON p.book_id = r.book_id AND p.report_id = r.id
     WHERE r.book_id = $1 AND r.id = $2 GROUP BY f.name, p.currency ORDER BY p.currency`,
    [bookId, id],
  );
  const [first] = rows;
  return first && { name: first.name, totals: rows.map(({ currency, gross, cost }) => ({ currency, gross, cost })) };
}
