import { COUNT_LIMIT } from '../../db/count-limit.ts';
import type { CreatedRange, Page, PageRequest } from '../../db/page.ts';
import type { Pool, Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Settlement } from '../paydays/settlement.ts';
import { settlementLines, settlements } from '../paydays/settlement-table.ts';
import { linesOf } from '../shares/line-list-store.ts';

/** A page of a book's settlements, newest first. Indexes: settlements_by_created, settlements_pkey. */
export function listSettlements(
  db: Queryable,
  bookId: BookId,
  created: CreatedRange | undefined,
  page: PageRequest,
): Promise<Page<Settlement>> {
  return listRows(db, { table: settlements }, { bookId, filter: { created }, page });
}

/** A page of the lines of a settlement. Index: settlement_lines_by_settlement. */
export const listSettlementLines = linesOf(settlementLines, ['settlement_id']);

/** Reports of acquirers that are not settled to their last line, of one book, up to COUNT_LIMIT. Index: settlements_received. */
export async function countReceivedIn(pool: Pool, bookId: BookId): Promise<number> {
  const { rows } = await pool.query<{ settlements: bigint }>(
    `SELECT count(*) AS settlements FROM (
       SELECT FROM settlements WHERE book_id = $1 AND status = 'received' LIMIT ${COUNT_LIMIT}
     ) AS received`,
    [bookId],
  );
  return Number(rows[0]!.settlements);
}
