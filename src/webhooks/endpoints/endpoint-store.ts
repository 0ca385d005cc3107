/** SQL of webhook endpoints, beside endpoint-table.ts. What deliveries need of them is in delivery-store.ts. */
import { plainArray } from '../../db/columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable, Transaction } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Subscriber } from '../../ledger/events/event.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';
import { ENDPOINTS_PER_BOOK_MAX, subscriberOf, type WebhookEndpoint } from './endpoint.ts';
import { webhookEndpoints } from './endpoint-table.ts';

/** How many endpoints a book has, read under the book's lock, so that a command can check the limit. */
export interface EndpointTally {
  readonly count: number;
}

/** The one row of endpointTallies. */
export const TALLY_ID = 'all';

/** A count that decisions read like a row. It is computed from the endpoints and never written. */
export const endpointTallies = derivedTable<EndpointTally>({
  name: 'webhook_endpoint_tallies',
  changesInDraft: true,
  async load(trx, bookId) {
    const { rows } = await trx.query<{ count: bigint }>({
      name: 'webhook_endpoints.count',
      text: "SELECT count(*) FROM webhook_endpoints WHERE book_id = $1 AND status <> 'deleted'",
      values: [bookId],
    });
    return new Map([[TALLY_ID, { count: Number(rows[0]!.count) }]]);
  },
});

/**
 * The subscribers of a book's events: read in every batch, under the book's lock, so that an event and its deliveries
 * agree. Index: webhook_endpoints_live, at most ENDPOINTS_PER_BOOK_MAX rows.
 */
export async function subscribers(trx: Transaction, bookId: BookId): Promise<Subscriber[]> {
  const { rows } = await trx.query<{ id: Uuid; events: string[]; behind_from: bigint | null }>({
    name: 'webhook_endpoints.subscribers',
    text: "SELECT id, events, CASE WHEN behind_since IS NOT NULL THEN waiting_from END AS behind_from FROM webhook_endpoints WHERE book_id = $1 AND status <> 'deleted' AND status = 'enabled' ORDER BY id",
    values: [bookId],
  });
  return rows.map((row) => subscriberOf(row, row.behind_from));
}

/**
 * The same for several books. Index: webhook_endpoints_live; the limit keeps the index lookup of each book from
 * becoming a join.
 */
export async function subscribersOf(
  trx: Transaction,
  bookIds: readonly BookId[],
): Promise<Map<BookId, readonly Subscriber[]>> {
  const { rows } = await trx.query<{ book_id: BookId; id: Uuid; events: string[]; behind_from: bigint | null }>({
    name: 'webhook_endpoints.subscribers_of',
    text: `SELECT w.* FROM unnest($1::uuid[]) AS wanted (book_id), LATERAL (
        SELECT book_id, id, events, CASE WHEN behind_since IS NOT NULL THEN waiting_from END AS behind_from FROM webhook_endpoints
        WHERE webhook_endpoints.book_id = wanted.book_id AND status <> 'deleted' AND status = 'enabled' ORDER BY id LIMIT ${ENDPOINTS_PER_BOOK_MAX}) AS w`,
    values: [plainArray(bookIds)],
  });
  const byBook = new Map<BookId, Subscriber[]>();
  for (const { book_id: bookId, behind_from: behindFrom, ...row } of rows) {
    const own = byBook.get(bookId);
    if (own) own.push(subscriberOf(row, behindFrom));
    else byBook.set(bookId, [subscriberOf(row, behindFrom)]);
  }
  return byBook;
}

export async function getEndpoint(db: Queryable, bookId: BookId, id: Uuid): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query({
    name: 'webhook_endpoints.get',
    text: `SELECT ${webhookEndpoints.selected()} FROM webhook_endpoints WHERE book_id = $1 AND id = $2 AND status <> 'deleted'`,
    values: [bookId, id],
  });
  return rows[0] && webhookEndpoints.fromRow(rows[0]);
}

/**
 * Newest first. Index: webhook_endpoints_live, from the cursor on. The cursor may be a deleted endpoint: its id still
 * has a position.
 */
export function listEndpoints(db: Queryable, bookId: BookId, page: PageRequest): Promise<Page<WebhookEndpoint>> {
  return listRows(db, { table: webhookEndpoints, predicate: "status <> 'deleted'" }, { bookId, page });
}
