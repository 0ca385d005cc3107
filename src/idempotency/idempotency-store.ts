import type { Instant } from '../clock.ts';
import { byteaArray, column, instantArray, joinedJson, plainArray, rowsOf, textArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
import { type Table, WRITE_ORDER } from '../ledger/table.ts';
import type { IdempotencyRecord } from './idempotency-key.ts';

interface IdempotencyRow {
  key: string;
  fingerprint: Buffer;
  status: number | null;
  body: string | null;
  resource: string | null;
  resource_id: string | null;
  request_id: string;
  voided_at: Instant | null;
  created_at: Instant;
}

const COLUMNS = 'key, fingerprint, status, body, resource, resource_id, request_id, voided_at, created_at';

function fromRow(row: IdempotencyRow): IdempotencyRecord {
  return {
    key: row.key,
    fingerprint: row.fingerprint,
    status: row.status,
    body: row.body,
    resource: row.resource,
    resourceId: row.resource_id,
    requestId: row.request_id,
    voidedAt: row.voided_at,
    createdAt: row.created_at,
  };
}

/** Index: idempotency_keys_pkey. */
async function load(db: Queryable, bookId: BookId, keys: readonly string[]): Promise<Map<string, IdempotencyRecord>> {
  const { rows } = await db.query<IdempotencyRow>({
    name: 'idempotency_keys.load',
    text: `SELECT ${COLUMNS} FROM idempotency_keys WHERE book_id = $1 AND key = ANY ($2::text[])`,
    values: [bookId, textArray(keys)],
  });
  return new Map(rows.map((row) => [row.key, fromRow(row)]));
}

export async function findIdempotencyKey(
  db: Queryable,
  bookId: BookId,
  key: string,
): Promise<IdempotencyRecord | undefined> {
  return (await load(db, bookId, [key])).get(key);
}

const INSERT_IDEMPOTENCY_KEYS = `INSERT INTO idempotency_keys (book_id, ${COLUMNS})
  SELECT $1, ${rowsOf('text', 'bytea', 'smallint', 'json text', 'text', 'uuid', 'uuid', 'timestamptz', 'timestamptz')}`;

export const idempotencyKeys: Table<IdempotencyRecord> = {
  name: 'idempotency_keys',
  writeOrder: WRITE_ORDER.idempotencyKeys,
  load,
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'idempotency_keys.insert',
      text: INSERT_IDEMPOTENCY_KEYS,
      values: [
        bookId,
        textArray(column(rows, (row) => row.key)),
        byteaArray(column(rows, (row) => row.fingerprint)),
        plainArray(column(rows, (row) => row.status)),
        joinedJson(column(rows, (row) => row.body)),
        textArray(column(rows, (row) => row.resource)),
        plainArray(column(rows, (row) => row.resourceId)),
        plainArray(column(rows, (row) => row.requestId)),
        instantArray(column(rows, (row) => row.voidedAt)),
        instantArray(column(rows, (row) => row.createdAt)),
      ],
    });
  },
  update() {
    return Promise.reject(new Error('The answer under an idempotency key never changes'));
  },
};
