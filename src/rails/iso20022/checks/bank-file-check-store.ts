import type { Pool } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';

/** A file for a bank, with how many payments name it. */
export interface CheckedFile {
  readonly id: Uuid;
  readonly name: string;
  /** As it was made. */
  readonly payments: number;
  readonly filed: number;
}

/** A page in the order of ids. Of each file up to its payments are counted. Indexes: bank_files_pkey, bank_instructions_in_file. */
export async function readFiles(
  pool: Pool,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<CheckedFile[]> {
  const { rows } = await pool.query<{ id: Uuid; name: string; payments: number; filed: bigint }>(
    `SELECT f.id, f.name, f.payments, i.filed
     FROM (SELECT id, name, payments FROM bank_files WHERE book_id = $1 AND id > $2::uuid ORDER BY id LIMIT $3) f
     CROSS JOIN LATERAL (SELECT count(*) AS filed FROM bank_instructions WHERE book_id = $1 AND file_id = f.id) i
     ORDER BY f.id`,
    [bookId, after, limit],
  );
  return rows.map(({ filed, ...row }) => ({ ...row, filed: Number(filed) }));
}
