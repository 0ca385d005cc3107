/** Lists the returns of a payout. */

import { type Page, type PageRequest, pageOf } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { type PayoutReturn, payoutReturns } from './payout-return-table.ts';

/**
 * A page of a payout's returns, newest first. An id is the rail's and has no time of the return, so the order is that
 * of `created_at`, and of ids within a moment. Every page costs the same. Throws ApiError `cursor_invalid` for a cursor
 * that is no return of the payout. Index: payout_returns_by_time.
 */
export async function listReturns(
  db: Queryable,
  { bookId, payoutId }: { bookId: BookId; payoutId: Uuid },
  page: PageRequest,
): Promise<Page<PayoutReturn>> {
  const [operator, direction] = page.endingBefore === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
  const place = await placeOf(db, { bookId, payoutId }, page);
  const bound = place.length === 0 ? '' : ` AND (created_at, id) ${operator} ($4::timestamptz, $5::uuid)`;
  const { rows } = await db.query({
    name: `payout_returns.list_${direction.toLowerCase()}_${place.length}`,
    text: `SELECT ${payoutReturns.selected()} FROM payout_returns WHERE book_id = $1 AND payout_id = $2${bound}
      ORDER BY created_at ${direction}, id ${direction} LIMIT $3`,
    values: [bookId, payoutId, page.limit + 1, ...place],
  });
  return pageOf(rows.map(payoutReturns.fromRow), page);
}

/** Where the page begins: the time and the id of the cursor's return. Empty without a cursor. */
async function placeOf(
  db: Queryable,
  { bookId, payoutId }: { bookId: BookId; payoutId: Uuid },
  { startingAfter, endingBefore }: PageRequest,
): Promise<readonly string[]> {
  const cursor = startingAfter ?? endingBefore;
  if (cursor === undefined) return [];
  const found = await payoutReturns.find(db, bookId, cursor);
  if (found?.payoutId === payoutId) return [formatInstant(found.createdAt), found.id];
  throw new ApiError('cursor_invalid', {
    param: startingAfter === undefined ? 'ending_before' : 'starting_after',
    detail: `There is no return ${publicId('payoutReturn', cursor)} of this payout.`,
  });
}
