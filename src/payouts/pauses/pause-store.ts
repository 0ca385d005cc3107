/** All SQL of pauses, and of the payouts that they keep back. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Paused, PauseInForce } from './pause.ts';

/** All of them, with their books: a handful of rows. Indexes: books_pkey, books_organisation_id_mode_key. */
export async function readPauses(db: Queryable): Promise<PauseInForce[]> {
  const { rows } = await db.query<Paused & { book_ids: readonly BookId[] }>({
    name: 'pauses.read',
    text: `SELECT scope, name, ARRAY (
        SELECT id FROM books WHERE id = CASE pauses.scope WHEN 'book' THEN pauses.name::uuid END
        UNION ALL
        SELECT id FROM books WHERE organisation_id = CASE pauses.scope WHEN 'organisation' THEN pauses.name::uuid END
      ) AS book_ids FROM pauses ORDER BY scope, name`,
    values: [],
  });
  return rows.map(({ scope, name, book_ids: bookIds }) => ({ scope, name, bookIds }));
}

export interface ListedPause extends Paused {
  readonly pausedBy: string;
  readonly pausedAt: Instant;
}

export async function listPauses(db: Queryable): Promise<ListedPause[]> {
  const { rows } = await db.query<Paused & { paused_by: string; paused_at: Instant }>(
    'SELECT scope, name, paused_by, paused_at FROM pauses ORDER BY paused_at, scope, name',
  );
  return rows.map(({ scope, name, paused_by: pausedBy, paused_at: pausedAt }) => ({ scope, name, pausedBy, pausedAt }));
}

/** False where it is paused already. */
export async function insertPause(db: Queryable, { scope, name, pausedBy, pausedAt }: ListedPause): Promise<boolean> {
  const { rowCount } = await db.query(
    'INSERT INTO pauses (scope, name, paused_by, paused_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [scope, name, pausedBy, new Date(pausedAt)],
  );
  return rowCount === 1;
}

/** False where it was not paused. */
export async function deletePause(db: Queryable, { scope, name }: Paused): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM pauses WHERE scope = $1 AND name = $2', [scope, name]);
  return rowCount === 1;
}

/** Marks payouts that a pause keeps back. One that another writer has locked is moving, and is left out. Index: payouts_pkey. */
export async function markPaused(
  db: Queryable,
  bookId: BookId,
  { ids, now }: { readonly ids: readonly Uuid[]; readonly now: Instant },
): Promise<void> {
  await db.query({
    name: 'payouts.mark_paused',
    text: `WITH kept AS (
        SELECT id FROM payouts WHERE book_id = $1 AND id = ANY ($2::uuid[])
          AND status IN ('pending', 'processing') AND paused_at IS NULL
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE payouts SET paused_at = $3 FROM kept WHERE payouts.book_id = $1 AND payouts.id = kept.id`,
    values: [bookId, plainArray(ids), new Date(now)],
  });
}

/**
 * Makes payouts due that a pause kept back, up to `limit`, and counts them: those that another pause is about are marked again by a
 * worker. Index: payouts_paused.
 */
export async function releasePaused(
  db: Queryable,
  {
    rail,
    bookIds,
    now,
    limit,
  }: { rail: string | null; bookIds: readonly BookId[] | null; now: Instant; limit: number },
): Promise<number> {
  const { rowCount } = await db.query({
    name: 'payouts.release_paused',
    text: `WITH kept AS (
        SELECT book_id, id FROM payouts WHERE paused_at IS NOT NULL
          AND ($1::text IS NULL OR rail = $1) AND ($2::uuid[] IS NULL OR book_id = ANY ($2::uuid[]))
        ORDER BY book_id, id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE payouts SET paused_at = NULL, due_at = CASE WHEN payouts.due_at IS NULL THEN NULL ELSE $3::timestamptz END
      FROM kept WHERE payouts.book_id = kept.book_id AND payouts.id = kept.id`,
    values: [rail, bookIds === null ? null : plainArray(bookIds), new Date(now), limit],
  });
  return rowCount ?? 0;
}
