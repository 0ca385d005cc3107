/** The cursor of a page: the row of the list after which the page begins, or before which it ends. */
import { ApiError } from '../errors/errors.ts';
import { build, type PageRequest, runBuilt } from './page.ts';
import type { Queryable } from './pool.ts';
import type { Walk, WalkedList } from './walk.ts';

/**
 * The value of `column` in the cursor's row; undefined without a cursor. The filters of a request do not count: an
 * object that matched them may have changed since. Throws ApiError `cursor_invalid` for a cursor that is no row of the
 * list. Index: the primary key.
 */
export async function atCursor<Value>(
  db: Queryable,
  { all, owner }: Pick<WalkedList, 'owner'> & { readonly all: Pick<Walk, 'table' | 'id' | 'equal'> },
  { page, column }: { readonly page: PageRequest; readonly column: string },
): Promise<{ readonly id: string; readonly value: Value } | undefined> {
  const id = page.startingAfter ?? page.endingBefore;
  if (id === undefined) return undefined;
  const of = { ...all.equal, ...owner, [all.id]: id };
  const [row] = await runBuilt<{ value: Value }>(db, build(all.table).select({ value: column }).where(of));
  if (!row) throw cursorInvalid(page);
  return { id, value: row.value };
}

/** The page's cursor is of no row of the list. */
export function cursorInvalid(page: PageRequest, detail = 'There is no such object in this list.'): ApiError {
  const param = page.startingAfter === undefined ? 'ending_before' : 'starting_after';
  return new ApiError('cursor_invalid', { param, detail });
}
