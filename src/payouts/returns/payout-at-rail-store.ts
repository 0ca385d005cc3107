/** How rails and banks know payouts. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

export interface PayoutAtRail {
  readonly rail: string;
  readonly endToEndId: string;
  readonly railReference: string | null;
}

/** By id. Index: payouts_pkey. */
export async function readAtRails(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<Map<Uuid, PayoutAtRail>> {
  const { rows } = await db.query<PayoutAtRail & { id: Uuid }>({
    name: 'payouts.at_rails',
    text: `SELECT id, rail, end_to_end_id AS "endToEndId", rail_reference AS "railReference" FROM payouts
      WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
    values: [bookId, plainArray(ids)],
  });
  return new Map(rows.map(({ id, ...payout }) => [id, payout]));
}
