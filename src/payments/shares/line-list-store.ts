/** Pages of an append-only log: the lines of a share, or of a settlement. */
import { atCursor } from '../../db/cursor.ts';
import { nounOf } from '../../db/declared-columns.ts';
import { type Page, type PageRequest, pageOf } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { DeclaredLog } from '../../ledger/rows/table-of.ts';
import type { Uuid } from '../../values/ids.ts';

/**
 * Reads pages of the lines whose `owner` columns have these values, the last ones first. Index: one of the log on book, the first of them
 * and id. A cursor that is no line of the list is refused with ApiError `cursor_invalid`.
 */
export function linesOf<Line, Owner extends string>(log: DeclaredLog<Line>, owner: readonly Owner[]) {
  const fromRow = nounOf<Line>(log.columns);
  const columns = log.columns.map(({ name }) => name).join(', ');
  const among = owner.map((name, at) => ` AND ${name} = $${at + 3}`).join('');
  return async (
    db: Queryable,
    { bookId, of }: { bookId: BookId; of: Readonly<Record<Owner, Uuid | number>> },
    page: PageRequest,
  ): Promise<Page<Line>> => {
    const all = { table: log.name, id: 'id', equal: { book_id: bookId } };
    const cursor = await atCursor(db, { all, owner: of }, { page, column: 'id' });
    const [operator, direction] = page.endingBefore === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
    const bound = cursor === undefined ? '' : ` AND id ${operator} $${owner.length + 3}::uuid`;
    const values = [bookId, page.limit + 1, ...owner.map((name) => of[name])];
    const { rows } = await db.query({
      name: `${log.name}.of_owner_${direction.toLowerCase()}_${cursor === undefined ? 0 : 1}`,
      text: `SELECT ${columns} FROM ${log.name}
        WHERE book_id = $1${among}${bound} ORDER BY id ${direction} LIMIT $2`,
      values: cursor === undefined ? values : [...values, cursor.id],
    });
    return pageOf(rows.map(fromRow), page);
  };
}
