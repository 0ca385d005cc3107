/** All SQL of API keys. */

import { byteaArray, instantArray, plainArray } from '../db/columns.ts';
import { KEY_STAMP } from '../db/installation-store.ts';
import { newestBook } from '../db/newest.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId, Mode } from '../ledger/book/book.ts';
import type { OwnerKind } from '../values/actor.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { type ApiKey, HASH_BYTES } from './api-key.ts';
import { type KeyOwner, keyOwner } from './person.ts';

/** A key with the book that it opens. */
export interface ApiKeyOfBook extends ApiKey {
  readonly mode: Mode;
  readonly organisationId: Uuid;
  readonly organisationName: string;
}

interface OwnerColumns {
  name: string;
  organisation_id: string;
  created_at: Instant;
  owner_id: string | null;
  owner_kind: OwnerKind | null;
  owner_name: string | null;
}

interface ApiKeyRow extends OwnerColumns {
  book_id: string;
  id: string;
  hash: Buffer;
  prefix: string;
  last_four: string;
  scopes: string[];
  made_over_api: boolean;
  allowed_ips: string[];
  writes_per_second: number | null;
  reads_per_second: number | null;
  expires_at: Instant | null;
  revoked_at: Instant | null;
  last_used_at: Instant | null;
  mode: Mode;
  organisation_name: string;
}

interface Stamped {
  stamp: string | null;
}

/** Columns by name: a cached statement fails as soon as a migration changes its result type. */
const KEY_COLUMNS = `book_id, id, name, hash, prefix, last_four, scopes, made_over_api, allowed_ips, writes_per_second, reads_per_second,
  expires_at, revoked_at, last_used_at, created_at, owner_id`;
const KEY_COLUMNS_OF_K = KEY_COLUMNS.split(/,\s+/)
  .map((name) => `k.${name}`)
  .join(', ');

const SELECT = `
  SELECT ${KEY_COLUMNS_OF_K}, b.mode, b.organisation_id, o.name AS organisation_name, p.kind AS owner_kind, p.name AS owner_name
    FROM api_keys k JOIN LATERAL (${newestBook('mode, organisation_id', 'k.book_id')}) b ON true JOIN organisations o ON o.id = b.organisation_id
    LEFT JOIN people p ON p.organisation_id = b.organisation_id AND p.id = k.owner_id`;

/**
 * $1: hashes. One row with the stamp at least, also where no key is found.
 *
 * Its plan is cached, so each row is looked up alone: a limit keeps an index lookup from becoming a join that reads the
 * table. Postgres caches a plan only where plans for the values at hand look no cheaper. It expects ten hashes in an
 * unknown list, and one in a list of one: the condition on the length makes either one row.
 */
const FIND_BY_HASH = `
  SELECT ${KEY_STAMP} AS stamp, found.*
    FROM (VALUES (1)) AS always
    LEFT JOIN (
      SELECT k.*, b.mode, b.organisation_id, o.organisation_name, p.owner_kind, p.owner_name
        FROM unnest($1::bytea[]) AS wanted (hash)
        CROSS JOIN LATERAL (SELECT ${KEY_COLUMNS} FROM api_keys WHERE api_keys.hash = wanted.hash LIMIT 1) AS k
        CROSS JOIN LATERAL (${newestBook('mode, organisation_id', 'k.book_id')}) AS b
        CROSS JOIN LATERAL (SELECT name AS organisation_name FROM organisations WHERE organisations.id = b.organisation_id LIMIT 1) AS o
        LEFT JOIN LATERAL (
          SELECT kind AS owner_kind, name AS owner_name FROM people
           WHERE people.organisation_id = b.organisation_id AND people.id = k.owner_id LIMIT 1) AS p ON true
       WHERE length(wanted.hash) = ${HASH_BYTES}) AS found ON true`;

/** Keys, and the stamp of all keys at the same moment: a later stamp means that they may have changed since. */
export interface StampedApiKeys {
  readonly keys: ApiKeyOfBook[];
  /** Null where the installation has no row. */
  readonly stamp: string | null;
}

/**
 * Keys by hash, many at once, revoked and expired ones too: the caller reports why it refuses. Indexes: api_keys
 * (hash), books_pkey, organisations_pkey, people_pkey.
 */
export async function findApiKeysByHash(db: Queryable, hashes: readonly Buffer[]): Promise<StampedApiKeys> {
  const { rows } = await db.query<Stamped & (ApiKeyRow | { id: null })>({
    name: 'api_keys.by_hash',
    text: FIND_BY_HASH,
    values: [byteaArray([...hashes])],
  });
  const found = rows.filter((row) => row.id !== null);
  return { keys: found.map(apiKeyFromRow), stamp: rows[0]?.stamp ?? null };
}

/** Finds a key by id alone, for an operator who does not know its book. */
export async function findApiKey(db: Queryable, id: Uuid): Promise<ApiKeyOfBook | undefined> {
  const { rows } = await db.query<ApiKeyRow>(`${SELECT} WHERE k.id = $1`, [id]);
  return rows[0] && apiKeyFromRow(rows[0]);
}

/** Whether a key opens a live book. A table scan until the first one: only a start asks. */
export async function anyKeyOpensLive(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query(
    "SELECT FROM api_keys k JOIN books b ON b.id = k.book_id WHERE b.mode = 'live' AND k.revoked_at IS NULL LIMIT 1",
  );
  return rowCount === 1;
}

/** The owners of keys of a book, revoked and expired keys too. Index: api_keys_pkey. */
export async function findOwnersOfKeys(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<Map<Uuid, KeyOwner>> {
  const { rows } = await db.query<OwnerColumns & { id: string }>(
    `SELECT k.id, k.name, k.created_at, k.owner_id, b.organisation_id, p.kind AS owner_kind, p.name AS owner_name
     FROM api_keys k JOIN LATERAL (${newestBook('organisation_id', 'k.book_id')}) b ON true
     LEFT JOIN people p ON p.organisation_id = b.organisation_id AND p.id = k.owner_id
     WHERE k.book_id = $1 AND k.id = ANY ($2::uuid[])`,
    [bookId, plainArray(ids)],
  );
  return new Map(rows.map((row) => [row.id, ownerFromRow(row)]));
}

export interface ApiKeyFilter {
  organisationName?: string;
  mode?: Mode;
  /** The last id of the previous page. */
  after?: Uuid;
  limit: number;
}

/** A page of keys, oldest first, in id order. */
export async function listApiKeys(
  db: Queryable,
  { organisationName, mode, after, limit }: ApiKeyFilter,
): Promise<ApiKeyOfBook[]> {
  const { rows } = await db.query<ApiKeyRow>(
    `${SELECT}
      WHERE ($1::text IS NULL OR o.name = $1) AND ($2::text IS NULL OR b.mode = $2) AND ($3::uuid IS NULL OR k.id > $3)
      ORDER BY k.id LIMIT $4`,
    [organisationName ?? null, mode ?? null, after ?? null, limit],
  );
  return rows.map(apiKeyFromRow);
}

export interface ApiKeyUse {
  bookId: BookId;
  id: Uuid;
  at: Instant;
}

/**
 * Records the last use of keys whose recorded use is at least `olderThanMs` older: several processes report the same
 * key, and one write a minute is enough. Rows that another writer has locked are skipped, since that writer records
 * them now. Index: api_keys_pkey.
 */
export async function recordApiKeyUses(db: Queryable, uses: readonly ApiKeyUse[], olderThanMs: number): Promise<void> {
  await db.query(
    `WITH due AS (
       SELECT k.book_id, k.id, u.at
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS u (book_id, id, at)
         JOIN api_keys k ON k.book_id = u.book_id AND k.id = u.id
        WHERE k.last_used_at IS NULL OR k.last_used_at <= u.at - $4 * interval '1 millisecond'
        ORDER BY k.book_id, k.id
          FOR NO KEY UPDATE OF k SKIP LOCKED)
     UPDATE api_keys k SET last_used_at = due.at FROM due WHERE k.book_id = due.book_id AND k.id = due.id`,
    [
      plainArray(uses.map((use) => use.bookId)),
      plainArray(uses.map((use) => use.id)),
      instantArray(uses.map((use) => use.at)),
      olderThanMs,
    ],
  );
}

function ownerFromRow(row: OwnerColumns): KeyOwner {
  return keyOwner({
    organisationId: row.organisation_id,
    name: row.name,
    createdAt: row.created_at,
    ownerId: row.owner_id,
    ownerKind: row.owner_kind,
    ownerName: row.owner_name,
  });
}

function apiKeyFromRow(row: ApiKeyRow): ApiKeyOfBook {
  return {
    bookId: row.book_id,
    id: row.id,
    name: row.name,
    owner: ownerFromRow(row),
    hash: row.hash,
    prefix: row.prefix,
    lastFour: row.last_four,
    scopes: row.scopes,
    madeOverApi: row.made_over_api,
    allowedIps: row.allowed_ips,
    writesPerSecond: row.writes_per_second,
    readsPerSecond: row.reads_per_second,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
    mode: row.mode,
    organisationId: row.organisation_id,
    organisationName: row.organisation_name,
  };
}
