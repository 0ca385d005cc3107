/** Pages of an append-only log: the lines of a share, or of a settlement. */
import { atCursor } from '../db/cursor.ts';
import { nounOf } from '../db/declared-columns.ts';
import { type Page, type PageRequest, pageOf } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { DeclaredLog } from '../ledger/table-of.ts';

/**
 * Reads pages of the lines whose `owner` column has an id, the last ones first. Index: one of the log on book, owner and id. A cursor
 * that is no line of the list is refused with ApiError `cursor_invalid`.
 */
export function linesOf<Line>(log: DeclaredLog<Line>, owner: string) {
  const fromRow = nounOf<Line>(log.columns);
  const columns = log.columns.map(({ name }) => name).join(', ');
  return async (
    db: Queryable,
    { bookId, ownerId }: { bookId: BookId; ownerId: Uuid },
    page: PageRequest,
  ): Promise<Page<Line>> => {
    const all = { table: log.name, id: 'id', equal: { book_id: bookId } };
    const cursor = await atCursor(db, { all, owner: { [owner]: ownerId } }, { page, column: 'id' });
    const [operator, direction] = page.endingBefore === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
    const bound = cursor === undefined ? '' : ` AND id ${operator} $4::uuid`;
    const { rows } = await db.query({
      name: `${log.name}.of_owner_${direction.toLowerCase()}_${cursor === undefined ? 0 : 1}`,
      text: `SELECT ${columns} FROM ${log.name}
        WHERE book_id = $1 AND ${owner} = $2${bound} ORDER BY id ${direction} LIMIT $3`,
      values: [bookId, ownerId, page.limit + 1, ...(cursor === undefined ? [] : [cursor.id])],
    });
    return pageOf(rows.map(fromRow), page);
  };
}
