/** Notices about books that are not ours. An operator finds their owner and resolves them, else an exception does. Their rows stay. */

import { textArray } from '../../db/columns.ts';
import { COUNT_LIMIT } from '../../db/count-limit.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../values/ids.ts';

export interface ForeignNotice {
  readonly rail: string;
  readonly id: Uuid;
  /** The book that the rail names. */
  readonly originator: string;
  readonly createdAt: Instant;
}

/** Unresolved notices, oldest first. Index: foreign_notices_open. */
export async function listForeignNotices(pool: Pool, limit: number): Promise<ForeignNotice[]> {
  const { rows } = await pool.query<{ rail: string; id: Uuid; originator: string; created_at: Instant }>(
    `SELECT rail, id, originator, created_at FROM foreign_notices WHERE settled_at IS NULL ORDER BY created_at LIMIT $1`,
    [limit],
  );
  return rows.map(({ rail, id, originator, created_at }) => ({ rail, id, originator, createdAt: created_at }));
}

/** Counts unresolved notices about books that are not ours, up to COUNT_LIMIT. Index: foreign_notices_open. */
export async function countForeignNotices(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM (SELECT FROM foreign_notices WHERE settled_at IS NULL LIMIT ${COUNT_LIMIT}) AS told`,
  );
  return Number(rows[0]!.count);
}

export interface AgedForeignNotice extends Pick<ForeignNotice, 'rail' | 'id' | 'createdAt'> {
  /** Of the operator's. */
  readonly bookId: BookId;
  /** The party's own reference of what it is about; empty where it names none. */
  readonly reference: string;
}

/** Of unresolved ones from before a moment, whatever the settings have. Index: foreign_notices_open. */
export async function partiesOfAgedNotices(pool: Pool, before: Instant): Promise<string[]> {
  const { rows } = await pool.query<{ rail: string }>(
    `SELECT DISTINCT rail FROM foreign_notices WHERE settled_at IS NULL AND created_at <= $1 AND book_id IS NOT NULL ORDER BY rail`,
    [new Date(before)],
  );
  return rows.map(({ rail }) => rail);
}

interface AgedPage {
  readonly parties: readonly string[];
  readonly before: Instant;
  /** The last one of the page before. */
  readonly after?: Pick<AgedForeignNotice, 'id' | 'createdAt'> | undefined;
  readonly limit: number;
}

/** Unresolved ones of these parties from before a moment, the oldest first. Index: foreign_notices_open. */
export async function findAgedForeignNotices(
  pool: Pool,
  { parties, before, after, limit }: AgedPage,
): Promise<AgedForeignNotice[]> {
  const { rows } = await pool.query<AgedForeignNotice>(
    `SELECT rail, id, book_id AS "bookId", coalesce(notice->>'reference', '') AS reference, created_at AS "createdAt" FROM foreign_notices
     WHERE settled_at IS NULL AND created_at <= $2 AND rail = ANY ($1::text[]) AND book_id IS NOT NULL
       AND created_at >= $4 AND (created_at, id) > ($4, $5)
     ORDER BY created_at, id LIMIT $3`,
    [textArray(parties), new Date(before), limit, new Date(after?.createdAt ?? 0), after?.id ?? BEFORE_ALL_IDS],
  );
  return rows;
}

/** False when it is resolved already, or does not exist. Index: foreign_notices_pkey. */
export async function resolveForeignNotice(
  pool: Pool,
  { rail, id }: Pick<ForeignNotice, 'rail' | 'id'>,
  { actor, reason, at }: { actor: string; reason: string; at: Instant },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE foreign_notices SET settled_at = $3, settled_by = $4, settled_reason = $5
     WHERE rail = $1 AND id = $2 AND settled_at IS NULL`,
    [rail, id, new Date(at), actor, reason],
  );
  return rowCount === 1;
}
