/** Stored answers whose retention has passed. */

import { textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface AgedKey {
  readonly bookId: Uuid;
  readonly key: string;
}

/** Finds keys whose stored answer is older than its retention. Index: idempotency_keys_with_body. */
export async function findAgedKeys(pool: Pool, page: { before: Instant; limit: number }): Promise<AgedKey[]> {
  const { rows } = await pool.query<{ book_id: Uuid; key: string }>(
    `SELECT book_id, key FROM idempotency_keys
     WHERE body IS NOT NULL AND created_at < $1
     ORDER BY created_at LIMIT $2`,
    [new Date(page.before), page.limit],
  );
  return rows.map((row) => ({ bookId: row.book_id, key: row.key }));
}

/** Drops the stored answers and keeps the keys, so that a repeated request never pays twice. */
export async function dropBodies(pool: Pool, bookId: Uuid, keys: readonly AgedKey[]): Promise<number> {
  const { rowCount } = await pool.query(
    'UPDATE idempotency_keys SET body = NULL WHERE book_id = $1 AND key = ANY ($2::text[]) AND body IS NOT NULL',
    [bookId, textArray(keys.map(({ key }) => key))],
  );
  return rowCount ?? 0;
}
