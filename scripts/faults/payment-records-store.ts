/** SQL of the scenarios about payments: what the ledger and the acquirer keep of them, held against each other. */
import type { Pool } from '../../src/db/pool.ts';

/** Challenges that nobody passed are over now. */
export async function endChallenges(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE payment_operations SET due_at = now(), next_inquiry_at = now() WHERE status = 'requires_action'`,
  );
}

/** Operations that are asked about when they are due: now. */
export async function makeOperationsDue(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE payment_operations SET due_at = now() WHERE status = 'pending' AND due_at > now() AND stuck_at IS NULL`,
  );
}

export async function countOpenOperations(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ count: bigint }>(
    `SELECT count(*) FROM payment_operations WHERE status IN ('pending', 'requires_action')`,
  );
  return rows[0]!.count;
}

/** Each query returns a row for each violation. */
const RULES: Record<string, string> = {
  'what succeeded is what the acquirer did, of the same amount': `
    SELECT o.reference, o.kind, o.status, i.status AS at_acquirer
    FROM payment_operations o
    LEFT JOIN sandbox_acquirer.instructions i ON i.originator = o.book_id::text AND i.reference = o.reference
    WHERE o.reference NOT LIKE '%C' AND (o.status = 'succeeded') IS DISTINCT FROM (i.status = 'succeeded' AND i.amount = o.amount)`,

  'the acquirer knows of no operation that is not ours': `
    SELECT i.reference, i.kind, i.status FROM sandbox_acquirer.instructions i
    WHERE NOT EXISTS (SELECT FROM payment_operations o WHERE o.book_id::text = i.originator AND o.reference = i.reference)`,

  'what was captured and refunded is what the acquirer captured and refunded': `
    SELECT p.id, p.status, p.amount_captured, i.captured, p.amount_refunded, i.refunded
    FROM payments p
    LEFT JOIN payment_operations o ON o.book_id = p.book_id AND o.id = p.authorized_by
    LEFT JOIN sandbox_acquirer.instructions i ON i.originator = o.book_id::text AND i.reference = o.reference
    WHERE p.amount_captured <> coalesce(i.captured, 0) OR p.amount_refunded <> coalesce(i.refunded, 0)`,

  'merchant_pending is the sum of open shares': `
    SELECT a.book_id, a.currency, a.posted_credits - a.posted_debits AS pending, coalesce(sum(s.amount), 0) AS shares
    FROM accounts a LEFT JOIN payment_shares s ON s.book_id = a.book_id AND s.currency = a.currency AND s.status = 'open'
    WHERE a.code = 'merchant_pending' GROUP BY 1, 2, a.posted_credits, a.posted_debits
    HAVING a.posted_credits - a.posted_debits <> coalesce(sum(s.amount), 0)`,

  'the acquirer owes what was captured and not refunded': `
    SELECT a.book_id, a.currency, a.posted_debits - a.posted_credits AS owed, sum(p.amount_captured - p.amount_refunded) AS kept
    FROM accounts a JOIN payments p ON p.book_id = a.book_id AND p.currency = a.currency
    WHERE a.code = 'acquirer' GROUP BY 1, 2, a.posted_debits, a.posted_credits
    HAVING a.posted_debits - a.posted_credits <> sum(p.amount_captured - p.amount_refunded)`,
};

/** Returns what is wrong, a line each. */
export async function brokenPayments(pool: Pool): Promise<string[]> {
  const wrong: string[] = [];
  for (const [rule, text] of Object.entries(RULES)) {
    const { rows } = await pool.query<Record<string, unknown>>(`${text} LIMIT 5`);
    if (rows.length > 0)
      wrong.push(
        `not so: ${rule}. ${JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
      );
  }
  return wrong;
}
