/** SQL of the scenarios about rails: rows that make the sandbox rail report, and the ledger's rows of its reports. */
import type { Pool } from '../../src/db/pool.ts';
import { newId } from '../../src/values/ids.ts';

/** The rail reports returns of payouts that were never made. */
export async function reportUnknownReturns(pool: Pool, originator: string, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO sandbox_rail.notices (id, originator, end_to_end_id, kind, amount, reference, created_at)
     SELECT id, $1, 'E2E' || replace(id::text, '-', ''), 'returned', 1000, 'SBX-NONE', now() FROM unnest($2::uuid[]) AS id`,
    [originator, Array.from({ length: count }, () => newId())],
  );
}

export interface InboxCounts {
  /** Notices copied from the rail, whatever their outcome. */
  copied: number;
  exceptions: number;
  entries: number;
}

/** Counts a book's notices, its exceptions about them, and its entries. */
export async function countInbox(pool: Pool, bookId: string): Promise<InboxCounts> {
  const { rows } = await pool.query<InboxCounts>(
    `SELECT (SELECT count(*)::integer FROM rail_notices WHERE book_id = $1) AS copied,
       (SELECT count(*)::integer FROM exceptions WHERE book_id = $1 AND kind = 'notice_unclaimed') AS exceptions,
       (SELECT count(*)::integer FROM entries WHERE book_id = $1) AS entries`,
    [bookId],
  );
  return rows[0]!;
}

/** Moves a book's waiting notices this many days into the past. */
export async function moveNoticesBack(pool: Pool, bookId: string, days: number): Promise<void> {
  await pool.query(
    `UPDATE rail_notices SET told_at = told_at - $2 * interval '1 day' WHERE book_id = $1 AND status = 'waiting'`,
    [bookId, days],
  );
}

export interface MismatchedPayout {
  status: string;
  outcome: string | null;
  exceptions: number;
  entries: number;
  /** How often the rail has answered so far. */
  answers: number;
}

/** Reads the ledger's rows of payouts whose rail reported another payment. */
export async function readMismatched(pool: Pool, payoutIds: readonly string[]): Promise<MismatchedPayout[]> {
  const { rows } = await pool.query<MismatchedPayout>(
    `SELECT p.status, p.outcome,
       (SELECT count(*)::integer FROM exceptions WHERE book_id = p.book_id AND resource_id = p.id) AS exceptions,
       (SELECT count(*)::integer FROM entries WHERE book_id = p.book_id AND resource_id = p.id) AS entries,
       (SELECT count(*)::integer FROM rail_answers WHERE book_id = p.book_id AND p.id IN (payout_id, resource_id)) AS answers
     FROM payouts p WHERE p.id = ANY ($1::uuid[])`,
    [payoutIds],
  );
  return rows;
}

/** Rejects a payout at the rail, which reports it to no client. */
export async function withdrawAtRail(pool: Pool, payoutId: string): Promise<void> {
  await pool.query(
    `UPDATE sandbox_rail.instructions AS i SET status = 'rejected', code = 'NARR' FROM payouts AS p
     WHERE p.id = $1 AND i.originator = p.book_id::text AND i.end_to_end_id = p.end_to_end_id`,
    [payoutId],
  );
}
