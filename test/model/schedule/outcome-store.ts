/** The queries for checking what a schedule left in the database. */
import type { Pool } from '../../../src/db/pool.ts';
import type { Uuid } from '../../../src/ids.ts';

/** Payouts and deliveries that are not final. */
export async function countOpen(pool: Pool, bookId: Uuid): Promise<number> {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*) FROM payouts WHERE book_id = $1 AND status IN ('pending', 'processing'))
       + (SELECT count(*) FROM webhook_deliveries WHERE book_id = $1 AND status = 'pending') AS open`,
    [bookId],
  );
  return Number(rows[0].open);
}

export interface PayoutOutcome {
  readonly id: Uuid;
  readonly status: string;
  readonly failure: string | null;
  readonly account_id: Uuid;
  readonly destination_account_id: Uuid | null;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly amount_returned: bigint;
  /** Number of exceptions. */
  readonly exceptions: bigint;
  readonly rail: string;
  readonly end_to_end_id: string;
  /** The steps of its entries and of those of its returns, in order. */
  readonly steps: string[];
  readonly stuck: boolean;
}

export async function payoutOutcomes(pool: Pool, bookId: Uuid): Promise<PayoutOutcome[]> {
  const { rows } = await pool.query(
    `SELECT id, status, coalesce(rail_code, failure_code) AS failure, account_id, destination_account_id, amount, fee, amount_returned, rail, end_to_end_id, stuck_at IS NOT NULL AS stuck,
       ARRAY(SELECT step FROM entries WHERE book_id = $1 AND (resource_id = payouts.id
         OR resource_id IN (SELECT r.id FROM payout_returns r WHERE r.book_id = $1 AND r.payout_id = payouts.id)) ORDER BY sequence) AS steps,
       (SELECT count(*) FROM exceptions WHERE book_id = $1 AND resource_id = payouts.id) AS exceptions
     FROM payouts WHERE book_id = $1 ORDER BY id`,
    [bookId],
  );
  return rows;
}

export interface AccountOutcome {
  readonly id: Uuid;
  readonly code: string;
  readonly posted: bigint;
  readonly held: bigint;
  /** The balance summed from the journal. */
  readonly summed: bigint;
}

export async function accountOutcomes(pool: Pool, bookId: Uuid): Promise<AccountOutcome[]> {
  const { rows } = await pool.query(
    `SELECT id, code, CASE side WHEN 'credit' THEN posted_credits - posted_debits ELSE posted_debits - posted_credits END AS posted,
       held_debits + held_credits AS held,
       CASE side WHEN 'credit' THEN 1 ELSE -1 END * (
         coalesce((SELECT sum(amount) FROM postings WHERE book_id = $1 AND credit_account_id = accounts.id), 0)
         - coalesce((SELECT sum(amount) FROM postings WHERE book_id = $1 AND debit_account_id = accounts.id), 0)) AS summed
     FROM accounts WHERE book_id = $1`,
    [bookId],
  );
  return rows;
}

export interface EventOutcome {
  readonly id: Uuid;
  readonly sequence: bigint;
  readonly payload: string;
  readonly deliveries: string[];
}

export async function eventOutcomes(pool: Pool, bookId: Uuid): Promise<EventOutcome[]> {
  const { rows } = await pool.query(
    `SELECT id, sequence, payload,
       ARRAY(SELECT status FROM webhook_deliveries WHERE book_id = $1 AND event_sequence = events.sequence) AS deliveries
     FROM events WHERE book_id = $1 ORDER BY sequence`,
    [bookId],
  );
  return rows;
}

/** The entries of a book, their highest sequence, and the number of steps booked twice. */
export async function countEntries(
  pool: Pool,
  bookId: Uuid,
): Promise<{ entries: bigint; last: bigint; twice: bigint }> {
  const { rows } = await pool.query(
    `SELECT count(*) AS entries, coalesce(max(sequence), 0) AS last,
       count(*) - count(DISTINCT (resource_id, step)) AS twice FROM entries WHERE book_id = $1`,
    [bookId],
  );
  return rows[0];
}
