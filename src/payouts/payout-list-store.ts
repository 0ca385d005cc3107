import type { Instant } from '../clock.ts';
import { build, createdBetween, keyset, type Page, type PageRequest, pageOf, runBuilt } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
import type { Payout, PayoutStatus } from './payout.ts';
import { PAYOUT_COLUMNS, type PayoutRow, payoutFromRow } from './payout-store.ts';

export interface PayoutFilter {
  statuses?: readonly PayoutStatus[];
  createdGte?: Instant;
  createdLt?: Instant;
  externalId?: string;
  metadata?: Record<string, string>;
}

/**
 * A page of payouts, newest first. Indexes: payouts_by_status for each status (merged, each bounded by the limit),
 * payouts_by_external_id, metadata_index, else payouts_pkey.
 */
export async function listPayouts(
  db: Queryable,
  bookId: BookId,
  filter: PayoutFilter,
  page: PageRequest,
): Promise<Page<Payout>> {
  const one = (status?: PayoutStatus) => {
    const query = build('payouts').select(build.raw(PAYOUT_COLUMNS)).where('book_id', bookId);
    if (status) query.where('status', status);
    if (filter.externalId !== undefined) query.where('external_id', filter.externalId);
    for (const [key, value] of Object.entries(filter.metadata ?? {})) {
      query.whereRaw(
        "id IN (SELECT object_id FROM metadata_index WHERE book_id = ? AND object = 'payout' AND key = ? AND value = ?)",
        [bookId, key, value],
      );
    }
    createdBetween(query, { gte: filter.createdGte, lt: filter.createdLt }, { id: 'id', createdAt: 'created_at' });
    return keyset(query, page, 'id');
  };
  const statuses = [...new Set(filter.statuses ?? [])];
  const query =
    statuses.length <= 1
      ? one(statuses[0])
      : keyset(build.from(build.unionAll(statuses.map(one), true).as('merged')), page, 'id');
  const rows = await runBuilt<PayoutRow>(db, query);
  return pageOf(rows.map(payoutFromRow), page);
}
