/** The rows of write-offs. */
import { column } from '../../db/declared-columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { tableOf } from '../../ledger/rows/table-of.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';
import { further } from '../../values/progress.ts';
import type { WriteOff } from './write-off.ts';

export const writeOffs = tableOf<WriteOff>({
  name: 'write_offs',
  key: 'id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [
    column('id', 'uuid'),
    column('of_book', 'uuid'),
    column('account_id', 'uuid'),
    column('currency', 'code'),
    column('amount', 'bigint'),
    column('status', 'code', { changes: true }),
    column('transfer_id', 'uuid', { changes: true }),
    column('booked_amount', 'bigint', { changes: true }),
    column('created_at', 'timestamptz'),
    column('updated_at', 'timestamptz', { changes: true }),
  ],
});

/** The one of the account that is not ended. Index: write_offs_open. */
export async function findOpenWriteOff(db: Queryable, bookId: BookId, accountId: Uuid): Promise<WriteOff | undefined> {
  const { rows } = await db.query(
    `SELECT ${writeOffs.selected()} FROM write_offs
      WHERE book_id = $1 AND account_id = $2 AND status IN ('proposed', 'approved') LIMIT 1`,
    [bookId, accountId],
  );
  return rows[0] && writeOffs.fromRow(rows[0]);
}

/** How many of the account have ended. Index: write_offs_ended. */
export async function countEndedWriteOffs(db: Queryable, bookId: BookId, accountId: Uuid): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM write_offs
      WHERE book_id = $1 AND account_id = $2 AND status IN ('booked', 'withdrawn')`,
    [bookId, accountId],
  );
  return rows[0]!.count;
}

const PAGE = 500;

/** Those that are not ended, by account, in pages: who books all of them comes to the last. Index: write_offs_open. */
export async function* openWriteOffs(db: Queryable, bookId: BookId, page = PAGE): AsyncGenerator<WriteOff[]> {
  let after = { accountId: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS };
  for (;;) {
    const { rows } = await db.query(
      `SELECT ${writeOffs.selected()} FROM write_offs
        WHERE book_id = $1 AND status IN ('proposed', 'approved') AND (account_id, id) > ($2, $3)
        ORDER BY account_id, id LIMIT $4`,
      [bookId, after.accountId, after.id, page],
    );
    if (rows.length > 0) yield rows.map((row) => writeOffs.fromRow(row));
    if (rows.length < page) return;
    const last = writeOffs.fromRow(rows.at(-1)!);
    further('write-offs that are open', `${after.accountId} ${after.id}`, `${last.accountId} ${last.id}`);
    after = last;
  }
}
