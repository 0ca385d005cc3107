/**
 * SQL of the payments' load and scenarios: payers who act or do not, and operations that the acquirer does not know.
 */

import { resolveChallenge } from '../../src/acquirers/sandbox-challenge-store.ts';
import { moveDispute, openDispute } from '../../src/acquirers/sandbox-dispute-store.ts';
import type { Pool } from '../../src/db/pool.ts';
import { newId } from '../../src/values/ids.ts';

/** A payer passes a challenge at the acquirer, or fails it. Nothing happens when it is no longer open. */
export async function answerChallenge(pool: Pool, challenge: string, passed: boolean): Promise<void> {
  await resolveChallenge(pool, { challenge, passed, noticeId: newId() });
}

/** The payer disputes a payment at the issuer: the acquirer opens it, with a notice. Once for each `noticeId`. */
export async function disputePayment(
  pool: Pool,
  given: { paymentId: string; noticeId: string; stage: 'inquiry' | 'chargeback'; amount: number },
): Promise<void> {
  const { paymentId, noticeId, stage, amount } = given;
  const { rows } = await pool.query<{ originator: string; reference: string }>(
    `SELECT o.book_id::text AS originator, o.reference FROM payment_operations o JOIN payments p
       ON p.book_id = o.book_id AND p.authorized_by = o.id WHERE p.id = $1`,
    [paymentId],
  );
  await openDispute(pool, { ...rows[0]!, noticeId, stage, amount: BigInt(amount), reason: 'fraudulent' });
}

/** The acquirer decides the disputes of a payment, with a notice of each. */
export async function decideDisputes(pool: Pool, paymentId: string, to: 'won' | 'lost'): Promise<void> {
  const { rows } = await pool.query<{ originator: string; dispute: string }>(
    `SELECT d.originator, d.dispute FROM sandbox_acquirer.disputes d JOIN payment_operations o
       ON o.book_id::text = d.originator AND o.reference = d.reference
     WHERE o.payment_id = $1 AND d.status IN ('open', 'evidence')`,
    [paymentId],
  );
  for (const open of rows) await moveDispute(pool, { ...open, noticeId: newId(), to });
}

/** The time of a payment's challenge is over. */
export async function endChallenge(pool: Pool, paymentId: string): Promise<void> {
  await pool.query(
    `UPDATE payment_operations SET due_at = now(), payer_until = now() WHERE payment_id = $1 AND status = 'requires_action'`,
    [paymentId],
  );
}

/** The release day of all waiting shares becomes today. */
export async function bringReleaseDay(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE payment_shares AS s SET releases_at = now(), due_at = now(),
       available_on = least(available_on, to_char(now() AT TIME ZONE b.time_zone, 'YYYY-MM-DD'))
     FROM books AS b WHERE b.id = s.book_id AND s.ctid = ANY (ARRAY (
       SELECT ctid FROM payment_shares WHERE status = 'open' AND stuck_at IS NULL AND due_at > now()
       FOR NO KEY UPDATE SKIP LOCKED))`,
  );
}

/** Captures whose day was brought forward are no longer where their schedules name: verify leaves them out, as it does those of 0.3.0. */
export async function forgetSchedules(pool: Pool): Promise<void> {
  await pool.query('UPDATE payment_operations SET release_schedule = NULL WHERE release_schedule IS NOT NULL');
}

/** The payments of a book. */
export async function paymentIds(pool: Pool, bookId: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM payments WHERE book_id = $1 ORDER BY id', [bookId]);
  return rows.map(({ id }) => id);
}

/** The newest operations, payments and shares of a book, whatever their state. */
export async function readPaymentRows(
  pool: Pool,
  bookId: string,
): Promise<{ operations: string[]; payments: string[]; shares: string[] }> {
  const newest = async (table: string) => {
    const text = `SELECT id FROM ${table} WHERE book_id = $1 ORDER BY id DESC LIMIT 300`;
    const { rows } = await pool.query<{ id: string }>(text, [bookId]);
    return rows.map(({ id }) => id);
  };
  const [operations, payments, shares] = [newest('payment_operations'), newest('payments'), newest('payment_shares')];
  return { operations: await operations, payments: await payments, shares: await shares };
}

/** Reads operations under way that the acquirer does not know. A worker may be about to send some of them. */
export async function operationsToSubmit(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`
    SELECT o.id FROM payment_operations o WHERE o.status = 'pending' AND NOT EXISTS (
      SELECT FROM sandbox_acquirer.instructions i WHERE i.originator = o.book_id::text AND i.reference = o.reference)`);
  return rows.map(({ id }) => id);
}

export async function anyPending(pool: Pool, operationIds: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT FROM payment_operations WHERE id = ANY ($1) AND status = 'pending' LIMIT 1`,
    [operationIds],
  );
  return rows.length > 0;
}

/** Whether any of these operations was sent to the acquirer more than once. */
export async function submittedTwice(pool: Pool, operationIds: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT FROM payment_operations o JOIN sandbox_acquirer.instructions i
       ON i.originator = o.book_id::text AND i.reference = o.reference
     WHERE o.id = ANY ($1) AND i.submissions > 1 LIMIT 1`,
    [operationIds],
  );
  return rows.length > 0;
}
