import { nounOf } from '../../db/declared-columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import { pageOf } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Uuid } from '../../ids.ts';
import type { BookId } from '../../ledger/book.ts';
import { listRows } from '../../ledger/list-rows.ts';
import type { Settlement, SettlementLine } from './settlement.ts';
import { settlementLines, settlements } from './settlement-table.ts';

/** A page of a book's settlements, newest first. Index: settlements_pkey. */
export function listSettlements(db: Queryable, bookId: BookId, page: PageRequest): Promise<Page<Settlement>> {
  return listRows(db, { table: settlements }, { bookId, page });
}

const lineFromRow = nounOf<SettlementLine>(settlementLines.columns);
const LINE_COLUMNS = settlementLines.columns.map(({ name }) => name).join(', ');

/** A page of the lines of a settlement, the last ones first. Index: settlement_lines_by_settlement. */
export async function listSettlementLines(
  db: Queryable,
  { bookId, settlementId }: { bookId: BookId; settlementId: Uuid },
  page: PageRequest,
): Promise<Page<SettlementLine>> {
  const [operator, direction] = page.endingBefore === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
  const cursor = page.startingAfter ?? page.endingBefore;
  const bound = cursor === undefined ? '' : ` AND id ${operator} $4::uuid`;
  const { rows } = await db.query({
    name: `settlement_lines.of_settlement_${direction.toLowerCase()}_${cursor === undefined ? 0 : 1}`,
    text: `SELECT ${LINE_COLUMNS} FROM settlement_lines
      WHERE book_id = $1 AND settlement_id = $2${bound} ORDER BY id ${direction} LIMIT $3`,
    values: [bookId, settlementId, page.limit + 1, ...(cursor === undefined ? [] : [cursor])],
  });
  return pageOf(rows.map(lineFromRow), page);
}
