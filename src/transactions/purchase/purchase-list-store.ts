/**
 * Lists of purchases, newest first. Their ids are derived, so the order is that of `begun_by`, the id of the first message; cursors are ids
 * of purchases. Of the filters the rarest is walked and the others are compared (db/walk.ts). Indexes: transactions_in_order,
 * transactions_by_account, transactions_by_card, transactions_by_status.
 */
import { build, type CreatedRange, createdBetween, isRange, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Walk, walkPage } from '../../db/walk.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PurchaseStatus } from './purchase-state.ts';
import { type StoredPurchase, transactions } from './purchase-table.ts';

export interface PurchaseFilter {
  readonly accountId?: Uuid | undefined;
  readonly cardId?: Uuid | undefined;
  readonly statuses?: readonly PurchaseStatus[] | undefined;
  readonly created?: CreatedRange | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Throws ApiError `cursor_invalid` for a cursor that is no purchase of the book. */
export async function listPurchases(
  db: Queryable,
  bookId: BookId,
  { accountId, cardId, statuses, created = {}, metadata }: PurchaseFilter,
  page: PageRequest,
): Promise<Page<StoredPurchase>> {
  const all: Walk = {
    table: transactions.name,
    id: 'begun_by',
    equal: { book_id: bookId },
    predicate: 'begun_by IS NOT NULL',
  };
  const asked = Object.entries({
    account_id: accountId === undefined ? undefined : [accountId],
    card_id: cardId === undefined ? undefined : [cardId],
    status: statuses,
  }).flatMap(([column, values]) => (values?.length ? [{ column, values }] : []));
  const { rows, reached, hasMore } = await walkPage<object>(
    db,
    {
      all,
      walks: asked.map((among): Walk => ({ ...all, predicate: `${among.column} IS NOT NULL`, among })),
      // Pairs of metadata have an index in the order of ids, and no list has that order.
      rechecked: isRange(created) || metadata !== undefined,
      row(candidate) {
        const query = build(transactions.name)
          .select(build.raw(`${transactions.selected()}, COALESCE(octet_length(metadata::text), 0) + 2000 AS bytes`))
          .where({ book_id: bookId, begun_by: candidate })
          .whereRaw('begun_by IS NOT NULL');
        for (const { column, values } of asked) query.whereIn(column, values);
        createdBetween(query, created, 'created_at');
        if (metadata) query.whereRaw('metadata @> ?::jsonb', [JSON.stringify(metadata)]);
        return query;
      },
    },
    await cursorPlaces(db, bookId, page),
  );
  return { rows: rows.map(transactions.fromRow), hasMore, reached: reached && (await idAt(db, bookId, reached)) };
}

async function cursorPlaces(db: Queryable, bookId: BookId, page: PageRequest): Promise<PageRequest> {
  const placeOf = async (param: string, id: Uuid | undefined) => {
    if (id === undefined) return undefined;
    const purchase = await transactions.find(db, bookId, id);
    if (!purchase)
      throw new ApiError('cursor_invalid', { param, detail: 'There is no such transaction in this book.' });
    return purchase.begunBy;
  };
  return {
    limit: page.limit,
    startingAfter: await placeOf('starting_after', page.startingAfter),
    endingBefore: await placeOf('ending_before', page.endingBefore),
  };
}

/** Index: transactions_in_order. */
async function idAt(db: Queryable, bookId: BookId, begunBy: string): Promise<Uuid> {
  const { rows } = await db.query<{ id: Uuid }>(
    'SELECT id FROM transactions WHERE book_id = $1 AND begun_by = $2 AND begun_by IS NOT NULL',
    [bookId, begunBy],
  );
  return rows[0]!.id;
}
