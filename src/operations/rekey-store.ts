/**
 * Stored secrets and fingerprints: read by page over all books, and written by compare-and-set. A row that changed
 * meanwhile is left for the next pass. Indexes: the primary keys.
 */

import { byBook } from '../db/by-book.ts';
import { byteaArray, column, plainArray, textArray } from '../db/columns.ts';
import type { Pool, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { BookId } from '../ledger/book/book.ts';
import { lockBook, updateBook } from '../ledger/book/book-store.ts';
import { SEALED_OF_BANKS } from '../rails/iso20022/bank-file-store.ts';
import { BEFORE_ALL_IDS, newId, type Uuid } from '../values/ids.ts';

/** A sealed column, in a table whose key is book and a uuid. The names come from declarations. */
export interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
}

export interface RowKey {
  readonly bookId: BookId;
  /** Id of the row, or the idempotency key. */
  readonly id: string;
}

export interface StoredValue extends RowKey {
  readonly value: Buffer | null;
}

export interface NewValue extends RowKey {
  readonly before: Buffer;
  readonly after: Buffer;
}

export async function readSealedPage(
  pool: Pool,
  { table, key, column: name }: SealedColumn,
  { after, limit }: { after: RowKey | undefined; limit: number },
): Promise<StoredValue[]> {
  const { rows } = await pool.query<{ book_id: BookId; id: Uuid; value: Buffer | null }>(
    `SELECT book_id, ${key} AS id, ${name} AS value FROM ${table} WHERE (book_id, ${key}) > ($1, $2) ORDER BY book_id, ${key} LIMIT $3`,
    [after?.bookId ?? BEFORE_ALL_IDS, after?.id ?? BEFORE_ALL_IDS, limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, value: row.value }));
}

/** Resolves to how many values were written. The others changed meanwhile. */
export async function writeSealed(
  db: Queryable,
  { table, key, column: name }: SealedColumn,
  values: readonly NewValue[],
): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE ${table} AS t SET ${name} = v.after
       FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[]) AS v (book_id, id, before, after)
      WHERE t.book_id = v.book_id AND t.${key} = v.id AND t.${name} = v.before`,
    [
      plainArray(column(values, (value) => value.bookId)),
      plainArray(column(values, (value) => value.id)),
      ...changes(values),
    ],
  );
  return rowCount ?? 0;
}

/**
 * Writes a column that commands write too: under the book's lock, and as a batch of its own. A batch that was decided
 * over the earlier rows ends with BookMoved and is decided again, so it cannot write the earlier form back.
 */
export async function writeSealedOfCommands(
  pool: Pool,
  column: SealedColumn,
  values: readonly NewValue[],
): Promise<number> {
  return underLocks(pool, values, (trx, ofBook) => writeSealed(trx, column, ofBook));
}

async function underLocks(
  pool: Pool,
  values: readonly NewValue[],
  write: (trx: Queryable, ofBook: readonly NewValue[]) => Promise<number>,
): Promise<number> {
  let written = 0;
  for (const [bookId, ofBook] of byBook(values)) {
    written += await inTransaction(pool, async (trx) => {
      const book = await lockBook(trx, bookId);
      if (book) await updateBook(trx, { ...book, batchId: newId() }, { after: book.batchId });
      return write(trx, ofBook);
    });
  }
  return written;
}

/**
 * Reads the earlier secrets of webhook endpoints, of which each has several. `id` is the endpoint's id and the place in its
 * list, from 1.
 */
export async function readEarlierSecretsPage(
  pool: Pool,
  { after, limit }: { after: RowKey | undefined; limit: number },
): Promise<StoredValue[]> {
  const [id, place] = secretKey(after?.id ?? `${BEFORE_ALL_IDS} 0`);
  const { rows } = await pool.query<{ book_id: BookId; id: Uuid; place: bigint; sealed: string }>(
    `SELECT book_id, id, place, secret->>'sealed' AS sealed
       FROM webhook_endpoints, jsonb_array_elements(earlier_secrets) WITH ORDINALITY AS earlier (secret, place)
      WHERE (book_id, id) >= ($1, $2) AND (book_id, id, place) > ($1, $2, $3) ORDER BY book_id, id, place LIMIT $4`,
    [after?.bookId ?? BEFORE_ALL_IDS, id, place, limit],
  );
  return rows.map((row) => ({
    bookId: row.book_id,
    id: `${row.id} ${row.place}`,
    value: Buffer.from(row.sealed, 'base64'),
  }));
}

export function writeEarlierSecrets(pool: Pool, values: readonly NewValue[]): Promise<number> {
  return underLocks(pool, values, async (trx, ofBook) => {
    let written = 0;
    for (const { bookId, id: key, before, after } of ofBook) {
      const [id, place] = secretKey(key);
      const { rowCount } = await trx.query(
        `UPDATE webhook_endpoints SET earlier_secrets = jsonb_set(earlier_secrets, ARRAY[($3::integer - 1)::text, 'sealed'], to_jsonb($5::text))
          WHERE book_id = $1 AND id = $2 AND earlier_secrets->($3::integer - 1)->>'sealed' = $4`,
        [bookId, id, place, before.toString('base64'), after.toString('base64')],
      );
      written += rowCount ?? 0;
    }
    return written;
  });
}

/** The endpoint of an earlier secret. */
export function idOfEndpoint(key: string): Uuid {
  return secretKey(key)[0];
}

function secretKey(key: string): [id: Uuid, place: string] {
  const [id, place] = key.split(' ');
  return [id!, place!];
}

/** Reads the payees of rail notices. `id` is the rail's name and the notice's id, as in payeePlace. */
export async function readNoticesPage(
  pool: Pool,
  { after, limit }: { after: RowKey | undefined; limit: number },
): Promise<StoredValue[]> {
  const { rows } = await pool.query<{ book_id: BookId; id: string; value: Buffer | null }>(
    `SELECT book_id, rail || ' ' || id AS id, confirmed_payee_sealed AS value
       FROM rail_notices WHERE (book_id, rail, id) > ($1, $2, $3) ORDER BY book_id, rail, id LIMIT $4`,
    [after?.bookId ?? BEFORE_ALL_IDS, ...noticeKey(after?.id ?? ` ${BEFORE_ALL_IDS}`), limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, value: row.value }));
}

export async function writeNotices(pool: Pool, values: readonly NewValue[]): Promise<number> {
  const keys = values.map(({ id }) => noticeKey(id));
  const { rowCount } = await pool.query(
    `UPDATE rail_notices AS t SET confirmed_payee_sealed = v.after
       FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::bytea[], $5::bytea[]) AS v (book_id, rail, id, before, after)
      WHERE t.book_id = v.book_id AND t.rail = v.rail AND t.id = v.id AND t.confirmed_payee_sealed = v.before`,
    [
      plainArray(column(values, (value) => value.bookId)),
      textArray(keys.map(([rail]) => rail)),
      plainArray(keys.map(([, id]) => id)),
      ...changes(values),
    ],
  );
  return rowCount ?? 0;
}

function noticeKey(id: string): [rail: string, id: Uuid] {
  const space = id.lastIndexOf(' ');
  return [id.slice(0, space), id.slice(space + 1)];
}

/** What the sandbox processor has sealed: of no book. `id` is the row's key. */
export type SandboxSealed = 'numbers' | 'secrets';

const SANDBOX_KEYS: Readonly<Record<SandboxSealed, string>> = { numbers: 'counter', secrets: 'id' };

export async function readSandboxPage(
  pool: Pool,
  table: SandboxSealed,
  { after, limit }: { after: RowKey | undefined; limit: number },
): Promise<StoredValue[]> {
  const key = SANDBOX_KEYS[table];
  const { rows } = await pool.query<{ id: bigint; value: Buffer }>(
    `SELECT ${key}::bigint AS id, sealed AS value FROM sandbox_processor.${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT $2`,
    [after?.id ?? '-1', limit],
  );
  return rows.map(({ id, value }) => ({ bookId: BEFORE_ALL_IDS, id: String(id), value }));
}

export async function writeSandbox(pool: Pool, table: SandboxSealed, values: readonly NewValue[]): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE sandbox_processor.${table} AS t SET sealed = v.after
       FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS v (id, before, after)
      WHERE t.${SANDBOX_KEYS[table]} = v.id AND t.sealed = v.before`,
    [plainArray(column(values, (value) => value.id)), ...changes(values)],
  );
  return rowCount ?? 0;
}

export interface StoredKey extends StoredValue {
  readonly value: Buffer;
  /** The stored answer, if it may contain a sealed secret; otherwise null. */
  readonly body: string | null;
}

export async function readKeysPage(
  pool: Pool,
  { after, limit }: { after: RowKey | undefined; limit: number },
): Promise<StoredKey[]> {
  const { rows } = await pool.query<{ book_id: BookId; key: string; fingerprint: Buffer; body: string | null }>(
    `SELECT book_id, key, fingerprint, CASE WHEN resource = 'webhook_endpoint' THEN body END AS body
       FROM idempotency_keys WHERE (book_id, key) > ($1, $2) ORDER BY book_id, key LIMIT $3`,
    [after?.bookId ?? BEFORE_ALL_IDS, after?.id ?? '', limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.key, value: row.fingerprint, body: row.body }));
}

export async function writeFingerprints(pool: Pool, values: readonly NewValue[]): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE idempotency_keys AS t SET fingerprint = v.after
       FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[]) AS v (book_id, key, before, after)
      WHERE t.book_id = v.book_id AND t.key = v.key AND t.fingerprint = v.before`,
    [
      plainArray(column(values, (value) => value.bookId)),
      textArray(column(values, (value) => value.id)),
      ...changes(values),
    ],
  );
  return rowCount ?? 0;
}

/** Resolves to false if the stored answer was dropped or changed meanwhile. */
export async function writeAnswer(
  pool: Pool,
  { bookId, id }: RowKey,
  { before, after }: { before: string; after: string },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE idempotency_keys SET body = $4 WHERE book_id = $1 AND key = $2 AND body = $3',
    [bookId, id, before, after],
  );
  return rowCount === 1;
}

function changes(values: readonly NewValue[]): [string, string] {
  return [byteaArray(column(values, (value) => value.before)), byteaArray(column(values, (value) => value.after))];
}

/** What rails that work by files have sealed: rows that wait for a file, and open files. */
export type BankSealed = keyof typeof SEALED_OF_BANKS;

/** Indexes: bank_files_pkey, bank_instructions_pkey. */
export async function readBanksPage(
  pool: Pool,
  table: BankSealed,
  { after, limit }: { after: RowKey | undefined; limit: number },
): Promise<StoredValue[]> {
  const { column: name, key } = SEALED_OF_BANKS[table];
  const { rows } = await pool.query<{ book_id: BookId; id: string; value: Buffer | null }>(
    `SELECT book_id, ${key}::text AS id, ${name} AS value FROM ${table}
      WHERE (book_id, ${key}) > ($1, $2) ORDER BY book_id, ${key} LIMIT $3`,
    [after?.bookId ?? BEFORE_ALL_IDS, after?.id ?? BEFORE_ALL_IDS, limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, id: row.id, value: row.value }));
}

export async function writeBanks(pool: Pool, table: BankSealed, values: readonly NewValue[]): Promise<number> {
  const { column: name, key } = SEALED_OF_BANKS[table];
  const { rowCount } = await pool.query(
    `UPDATE ${table} AS t SET ${name} = v.after
       FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[]) AS v (book_id, id, before, after)
      WHERE t.book_id = v.book_id AND t.${key}::text = v.id AND t.${name} = v.before`,
    [
      plainArray(column(values, (value) => value.bookId)),
      textArray(column(values, (value) => value.id)),
      ...changes(values),
    ],
  );
  return rowCount ?? 0;
}
