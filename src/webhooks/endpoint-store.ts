/** All SQL of webhook endpoints but what deliveries need of them (delivery-store.ts). */
import type { Instant } from '../clock.ts';
import { byteaArray, column, instantArray, plainArray, textArray } from '../db/columns.ts';
import { updateExactly } from '../db/exactly.ts';
import { build, type Page, type PageRequest } from '../db/page.ts';
import type { Queryable, Transaction } from '../db/pool.ts';
import { walkPage } from '../db/walk.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Subscriber } from '../ledger/event.ts';
import { type Table, WRITE_ORDER } from '../ledger/table.ts';
import { subscriberOf, type WebhookEndpoint } from './endpoint.ts';

interface EndpointRow {
  id: string;
  url: string;
  description: string | null;
  events: string[];
  status: WebhookEndpoint['status'];
  disabled_reason: WebhookEndpoint['disabledReason'];
  secret_sealed: Buffer | null;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: Instant | null;
  failing_since: Instant | null;
  metadata: Record<string, string>;
  version: number;
  created_at: Instant;
  updated_at: Instant;
}

const COLUMNS = `id, url, description, events, status, disabled_reason, secret_sealed, previous_secret_sealed,
  previous_secret_until, failing_since, metadata, version, created_at, updated_at`;

function endpointFromRow(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    status: row.status,
    disabledReason: row.disabled_reason,
    secretSealed: row.secret_sealed,
    previousSecretSealed: row.previous_secret_sealed,
    previousSecretUntil: row.previous_secret_until,
    failingSince: row.failing_since,
    metadata: row.metadata,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const webhookEndpoints: Table<WebhookEndpoint> = {
  name: 'webhook_endpoints',
  writeOrder: WRITE_ORDER.resources,

  /** Deleted ones too: that nothing is to be done with them is decided, not looked up. Index: webhook_endpoints_pkey. */
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<EndpointRow>({
      name: 'webhook_endpoints.load',
      text: `SELECT ${COLUMNS} FROM webhook_endpoints WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(rows.map((row) => [row.id, endpointFromRow(row)]));
  },

  /** Lists of filters travel as JSON: unnest would flatten an array of arrays. A new endpoint fails since never. */
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'webhook_endpoints.insert',
      text: `INSERT INTO webhook_endpoints (book_id, id, url, description, status, disabled_reason, secret_sealed,
          previous_secret_sealed, previous_secret_until, metadata, version, created_at, updated_at, events)
        SELECT $1, v.id, v.url, v.description, v.status, v.disabled_reason, v.secret_sealed, v.previous_secret_sealed,
          v.previous_secret_until, v.metadata, v.version, v.created_at, v.updated_at,
          ARRAY(SELECT jsonb_array_elements_text(v.events))
        FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::bytea[], $9::timestamptz[],
          $10::jsonb[], $11::integer[], $12::timestamptz[], $13::timestamptz[], $14::jsonb[])
          AS v (id, url, description, status, disabled_reason, secret_sealed, previous_secret_sealed, previous_secret_until,
            metadata, version, updated_at, created_at, events)`,
      values: [
        bookId,
        ...changingColumns(rows),
        instantArray(column(rows, (row) => row.createdAt)),
        eventsColumn(rows),
      ],
    });
  },

  /**
   * `failing_since` belongs to those who deliver, who write it without the book's lock: a command never writes back what
   * it read. Another URL, or being switched on again, is a new beginning: what waits is tried at once.
   */
  async update(trx, bookId, rows) {
    await updateExactly(trx, {
      name: 'webhook_endpoints.update',
      text: `UPDATE webhook_endpoints AS w SET url = v.url, description = v.description, status = v.status,
          disabled_reason = v.disabled_reason, secret_sealed = v.secret_sealed,
          previous_secret_sealed = v.previous_secret_sealed, previous_secret_until = v.previous_secret_until,
          metadata = v.metadata, version = v.version, updated_at = v.updated_at,
          events = ARRAY(SELECT jsonb_array_elements_text(v.events)),
          failing_since = CASE WHEN w.url = v.url AND (w.status = v.status OR v.status <> 'enabled') THEN w.failing_since END,
          retry_at = CASE WHEN w.retry_at IS NULL OR (w.url = v.url AND (w.status = v.status OR v.status <> 'enabled')) THEN w.retry_at ELSE now() END,
          due_at = CASE WHEN w.due_at IS NULL OR (w.url = v.url AND (w.status = v.status OR v.status <> 'enabled')) THEN w.due_at ELSE now() END
        FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::bytea[], $9::timestamptz[],
          $10::jsonb[], $11::integer[], $12::timestamptz[], $13::jsonb[])
          AS v (id, url, description, status, disabled_reason, secret_sealed, previous_secret_sealed, previous_secret_until,
            metadata, version, updated_at, events)
        WHERE w.book_id = $1 AND w.id = v.id`,
      values: [bookId, ...changingColumns(rows), eventsColumn(rows)],
      rows: rows.length,
    });
  },
};

function changingColumns(rows: readonly WebhookEndpoint[]): string[] {
  return [
    plainArray(column(rows, (row) => row.id)),
    textArray(column(rows, (row) => row.url)),
    textArray(column(rows, (row) => row.description)),
    textArray(column(rows, (row) => row.status)),
    textArray(column(rows, (row) => row.disabledReason)),
    byteaArray(column(rows, (row) => row.secretSealed)),
    byteaArray(column(rows, (row) => row.previousSecretSealed)),
    instantArray(column(rows, (row) => row.previousSecretUntil)),
    textArray(column(rows, (row) => JSON.stringify(row.metadata))),
    plainArray(column(rows, (row) => row.version)),
    instantArray(column(rows, (row) => row.updatedAt)),
  ];
}

function eventsColumn(rows: readonly WebhookEndpoint[]): string {
  return textArray(column(rows, (row) => JSON.stringify(row.events)));
}

/** How many endpoints a book has: what the limit is decided by, read inside the lock. */
export interface EndpointTally {
  readonly count: number;
}

/** The one row of endpointTallies. */
export const TALLY_ID = 'all';

/** A count that decisions read like a row. Nothing is written: it follows from the endpoints themselves. */
export const endpointTallies: Table<EndpointTally> = {
  name: 'webhook_endpoint_tallies',
  writeOrder: WRITE_ORDER.resources,
  derived: true,
  async load(trx, bookId) {
    const { rows } = await trx.query<{ count: bigint }>({
      name: 'webhook_endpoints.count',
      text: "SELECT count(*) FROM webhook_endpoints WHERE book_id = $1 AND status <> 'deleted'",
      values: [bookId],
    });
    return new Map([[TALLY_ID, { count: Number(rows[0]!.count) }]]);
  },
  insert: () => Promise.resolve(),
  update: () => Promise.resolve(),
};

/**
 * To whom the committer delivers: asked in every batch, under the book's lock, so that an event and its deliveries agree.
 * Index: webhook_endpoints_live, at most ENDPOINTS_PER_BOOK_MAX rows.
 */
export async function subscribers(trx: Transaction, bookId: BookId): Promise<Subscriber[]> {
  const { rows } = await trx.query<Pick<EndpointRow, 'id' | 'events'> & { behind_from: bigint | null }>({
    name: 'webhook_endpoints.subscribers',
    text: "SELECT id, events, CASE WHEN behind_since IS NOT NULL THEN waiting_from END AS behind_from FROM webhook_endpoints WHERE book_id = $1 AND status <> 'deleted' AND status = 'enabled' ORDER BY id",
    values: [bookId],
  });
  return rows.map((row) => subscriberOf(row, row.behind_from));
}

export async function getEndpoint(db: Queryable, bookId: BookId, id: Uuid): Promise<WebhookEndpoint | undefined> {
  const { rows } = await db.query<EndpointRow>({
    name: 'webhook_endpoints.get',
    text: `SELECT ${COLUMNS} FROM webhook_endpoints WHERE book_id = $1 AND id = $2 AND status <> 'deleted'`,
    values: [bookId, id],
  });
  return rows[0] && endpointFromRow(rows[0]);
}

/** Newest first. Index: webhook_endpoints_live, from the cursor on. A cursor may have been deleted: its id still says where. */
export async function listEndpoints(db: Queryable, bookId: BookId, page: PageRequest): Promise<Page<WebhookEndpoint>> {
  const live = { table: 'webhook_endpoints', id: 'id', equal: { book_id: bookId }, predicate: "status <> 'deleted'" };
  const { rows, ...end } = await walkPage<EndpointRow>(
    db,
    {
      all: live,
      walks: [],
      row: (candidate) =>
        build('webhook_endpoints')
          .select(build.raw(`${COLUMNS}, octet_length(metadata::text) AS bytes`))
          .where({ book_id: bookId, id: candidate }),
    },
    page,
  );
  return { rows: rows.map(endpointFromRow), ...end };
}
