import type { Instant } from '../clock.ts';
import { build, createdBetween, createdBounds, type Page, type PageRequest } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import { type Walk, walkPage } from '../db/walk.ts';
import type { BookId } from '../ledger/book.ts';
import { metadataWalks } from '../ledger/metadata-store.ts';
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
 * A page of payouts, newest first. Indexes: payouts_by_external_id, metadata_index and payouts_by_status, of which the
 * rarest is walked and the others are asked about each candidate; without a filter payouts_pkey.
 */
export async function listPayouts(
  db: Queryable,
  bookId: BookId,
  filter: PayoutFilter,
  page: PageRequest,
): Promise<Page<Payout>> {
  const { externalId, statuses } = filter;
  const created = { gte: filter.createdGte, lt: filter.createdLt };
  const all = { table: 'payouts', id: 'id', equal: { book_id: bookId } };
  const walks: Walk[] = metadataWalks(bookId, 'payout', filter.metadata);
  if (externalId !== undefined) walks.unshift({ ...all, among: { column: 'external_id', values: [externalId] } });
  if (statuses?.length) walks.push({ ...all, among: { column: 'status', values: statuses } });
  const { rows, ...end } = await walkPage<PayoutRow>(
    db,
    {
      all,
      walks,
      bounds: createdBounds(created),
      rechecked: created.gte !== undefined || created.lt !== undefined,
      row(candidate) {
        const query = build('payouts')
          .select(build.raw(`${PAYOUT_COLUMNS}, octet_length(metadata::text) AS bytes`))
          .where({ book_id: bookId, id: candidate });
        if (externalId !== undefined) query.where('external_id', externalId);
        if (statuses?.length) query.whereIn('status', [...statuses]);
        createdBetween(query, created, 'created_at');
        return query;
      },
    },
    page,
  );
  return { rows: rows.map(payoutFromRow), ...end };
}
