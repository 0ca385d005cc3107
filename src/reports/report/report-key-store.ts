/** The sealed keys of files of reports, to be sealed anew (operations/rekey.ts). */
import { byteaArray, column, plainArray } from '../../db/columns.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** `id` is the report's. */
interface ReportKey {
  readonly bookId: BookId;
  readonly id: Uuid;
  readonly value: Buffer | null;
}

/** Index: report_files_pkey. */
export async function readReportKeysPage(
  pool: Pool,
  { after, limit }: { after: { readonly bookId: string; readonly id: string } | undefined; limit: number },
): Promise<ReportKey[]> {
  const { rows } = await pool.query<{ book_id: BookId; id: Uuid; value: Buffer }>(
    `SELECT book_id, report_id AS id, key_sealed AS value FROM report_files
     WHERE $1::uuid IS NULL OR (book_id, report_id) > ($1, $2::uuid) ORDER BY book_id, report_id LIMIT $3`,
    [after?.bookId ?? null, after?.id ?? null, limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, value: row.value }));
}

/** By compare-and-set. Resolves to how many were written. Index: report_files_pkey. */
export async function writeReportKeys(
  pool: Pool,
  keys: readonly { readonly bookId: BookId; readonly id: string; readonly before: Buffer; readonly after: Buffer }[],
): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE report_files AS f SET key_sealed = v.after
       FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[]) AS v (book_id, id, before, after)
      WHERE f.book_id = v.book_id AND f.report_id = v.id AND f.key_sealed = v.before`,
    [
      plainArray(column(keys, ({ bookId }) => bookId)),
      plainArray(column(keys, ({ id }) => id)),
      byteaArray(column(keys, ({ before }) => before)),
      byteaArray(column(keys, ({ after }) => after)),
    ],
  );
  return rowCount ?? 0;
}
