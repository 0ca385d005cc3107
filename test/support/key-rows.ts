/** Rows of keys, changed past their commands: as by hand, and as version 0.2.0 does. */
import type { Queryable } from '../../src/db/pool.ts';
import type { BookId } from '../../src/ledger/book/book.ts';
import type { ApiKey } from '../../src/organisations/api-key.ts';
import type { Instant } from '../../src/values/clock.ts';
import type { Uuid } from '../../src/values/ids.ts';

const dateOrNull = (instant: Instant | null) => (instant === null ? null : new Date(instant));

export async function insertApiKey(db: Queryable, key: ApiKey): Promise<void> {
  await db.query(
    `INSERT INTO api_keys (book_id, id, name, hash, prefix, last_four, scopes, allowed_ips, writes_per_second, reads_per_second, expires_at, created_at, updated_at, owner_id, owner_kind, made_over_api)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13, $14, $15)`,
    [
      key.bookId,
      key.id,
      key.name,
      key.hash,
      key.prefix,
      key.lastFour,
      key.scopes,
      key.allowedIps,
      key.writesPerSecond,
      key.readsPerSecond,
      dateOrNull(key.expiresAt),
      new Date(key.createdAt),
      key.owner.id,
      key.owner.kind,
      key.madeOverApi,
    ],
  );
}

/** Revokes a key from `at` on. False when the key is already revoked by then, or does not exist. */
export async function revokeApiKey(
  db: Queryable,
  { bookId, id, at }: { bookId: BookId; id: Uuid; at: Instant },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE api_keys SET revoked_at = $3, version = version + 1, updated_at = greatest(updated_at, $3) WHERE book_id = $1 AND id = $2 AND (revoked_at IS NULL OR revoked_at > $3)',
    [bookId, id, new Date(at)],
  );
  return rowCount === 1;
}

/** Lets a key expire at `at`, unless it expires earlier. False when the key is revoked or does not exist. */
export async function expireApiKey(
  db: Queryable,
  { bookId, id, at }: { bookId: BookId; id: Uuid; at: Instant },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE api_keys SET expires_at = least(expires_at, $3), version = version + 1 WHERE book_id = $1 AND id = $2 AND revoked_at IS NULL',
    [bookId, id, new Date(at)],
  );
  return rowCount === 1;
}
