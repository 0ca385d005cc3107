import { textArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { CardOperation } from './card-operation.ts';
import { cardOperations } from './card-operation-table.ts';

/** Operations by what their processor knows them by. Index: card_operations_by_reference. */
export async function findCardOperationsByReference(
  db: Queryable,
  bookId: BookId,
  references: readonly string[],
): Promise<Map<string, CardOperation>> {
  const { rows } = await db.query({
    name: 'card_operations.by_reference',
    text: `SELECT ${cardOperations.selected()} FROM card_operations WHERE book_id = $1 AND reference = ANY ($2::text[])`,
    values: [bookId, textArray(references)],
  });
  return new Map(rows.map((row) => [row.reference, cardOperations.fromRow(row)]));
}
