/** Rules for payments once everything has ended: our rows and the journal against the acquirer's records. */
import type { Pool } from '../../src/db/pool.ts';
import { SETTLEMENT_RULES } from './settlement-rules-store.ts';

/** Each query returns a row for each violation. */
const RULES: Record<string, string> = {
  'every payment has come to its end, and none is stuck': `
    SELECT book_id, id::text, status, outcome, stuck_error FROM payments
    WHERE status IN ('requires_action', 'processing', 'authorized', 'partially_captured')
      OR stuck_at IS NOT NULL OR due_at IS NOT NULL OR pending_operation IS NOT NULL OR amount_refunding <> 0
    UNION ALL
    SELECT book_id, kind || ' ' || reference, status, outcome, stuck_error FROM payment_operations
    WHERE status IN ('pending', 'requires_action') OR stuck_at IS NOT NULL OR due_at IS NOT NULL`,

  'what succeeded is what the acquirer carried out, of the same amount, and what failed is not': `
    -- A capture that came with its authorization is no instruction of its own.
    SELECT o.reference, o.kind, o.status, o.amount, i.kind AS kind_there, i.status AS there, i.amount AS amount_there
    FROM payment_operations o
    LEFT JOIN sandbox_acquirer.instructions i ON i.originator = o.book_id::text AND i.reference = o.reference
    LEFT JOIN payment_operations a ON a.book_id = o.book_id AND o.kind = 'capture' AND o.reference = a.reference || 'C' AND a.is_final
    LEFT JOIN sandbox_acquirer.notices n
      ON n.originator = i.originator AND n.reference = i.reference AND n.kind = 'refund_failed'
    WHERE a.id IS NULL AND NOT CASE o.status
      WHEN 'succeeded' THEN i.status = 'succeeded' AND i.kind = o.kind AND i.amount = o.amount AND i.currency = o.currency
        AND i.of_reference IS NOT DISTINCT FROM o.of_reference AND n.id IS NULL
      WHEN 'failed' THEN i.status IS DISTINCT FROM 'succeeded' OR n.id IS NOT NULL
      ELSE false END IS TRUE`,

  'the acquirer knows of no instruction that is not ours': `
    SELECT i.originator, i.reference, i.kind, i.status FROM sandbox_acquirer.instructions i
    LEFT JOIN payment_operations o ON o.book_id::text = i.originator AND o.reference = i.reference
    WHERE o.id IS NULL`,

  'the acquirer has charged and given back each payment once: what its operations and its totals say': `
    WITH ours AS (
      SELECT o.book_id, o.payment_id,
        sum(o.amount) FILTER (WHERE o.kind = 'capture' AND o.status = 'succeeded') AS captures,
        sum(o.amount) FILTER (WHERE o.kind = 'refund' AND o.status = 'succeeded') AS refunds
      FROM payment_operations o GROUP BY 1, 2
    ), theirs AS (
      SELECT a.book_id, a.payment_id, sum(i.captured) AS captured, sum(i.refunded) AS refunded, sum(i.authorized) AS authorized
      FROM payment_operations a
      JOIN sandbox_acquirer.instructions i ON i.originator = a.book_id::text AND i.reference = a.reference
      WHERE a.kind = 'authorize' AND i.status = 'succeeded' GROUP BY 1, 2
    ), failed_late AS (
      SELECT o.book_id, o.payment_id, sum(o.amount) AS amount FROM payment_operations o
      JOIN sandbox_acquirer.notices n ON n.originator = o.book_id::text AND n.reference = o.reference AND n.kind = 'refund_failed'
      GROUP BY 1, 2
    )
    SELECT p.id, p.status, p.amount_captured, o.captures, t.captured, p.amount_refunded, o.refunds, t.refunded,
      p.amount_authorized, t.authorized
    FROM payments p LEFT JOIN ours o ON o.book_id = p.book_id AND o.payment_id = p.id
    LEFT JOIN theirs t ON t.book_id = p.book_id AND t.payment_id = p.id
    LEFT JOIN failed_late f ON f.book_id = p.book_id AND f.payment_id = p.id
    WHERE p.amount_captured <> coalesce(o.captures, 0) OR p.amount_captured <> coalesce(t.captured, 0)
      OR p.amount_refunded <> coalesce(o.refunds, 0)
      OR p.amount_refunded <> coalesce(t.refunded, 0) - coalesce(f.amount, 0)
      OR p.amount_authorized <> coalesce(t.authorized, 0)
      OR (p.status IN ('captured', 'settled')) <> (p.amount_captured > 0)`,

  'each step of a capture and of a refund is booked once, and exactly the steps of its status': `
    SELECT o.id, o.kind, o.status, s.steps, s.ids, o.entry_ids FROM payment_operations o
    CROSS JOIN LATERAL (
      SELECT coalesce(string_agg(step, ' ' ORDER BY sequence), '') AS steps, coalesce(jsonb_agg(id ORDER BY sequence), '[]') AS ids
      FROM entries e WHERE e.book_id = o.book_id AND e.resource_id = o.id) s
    WHERE s.ids <> o.entry_ids OR NOT CASE
      WHEN o.kind = 'capture' AND o.status = 'succeeded' THEN s.steps = 'captured'
      WHEN o.kind = 'refund' AND o.status = 'succeeded' THEN s.steps = 'refunded succeeded'
      WHEN o.kind = 'refund' AND o.status = 'failed' THEN s.steps IN ('refunded failed', 'refunded succeeded failed_late')
      ELSE s.steps = '' END`,

  'the journal says of the acquirer what its own records say': `
    SELECT a.book_id, a.currency, j.owed, i.kept FROM accounts a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE WHEN p.debit_account_id = a.id THEN p.amount ELSE -p.amount END), 0) AS owed
      FROM entries e JOIN postings p ON p.book_id = e.book_id AND p.entry_sequence = e.sequence
      WHERE e.book_id = a.book_id AND e.resource IN ('capture', 'refund') AND a.id IN (p.debit_account_id, p.credit_account_id)) j
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(captured - refunded), 0) + (
          SELECT coalesce(sum(r.amount), 0) FROM sandbox_acquirer.notices n
          JOIN sandbox_acquirer.instructions r ON r.originator = n.originator AND r.reference = n.reference
          WHERE n.kind = 'refund_failed' AND r.originator = a.book_id::text AND r.currency = a.currency) AS kept
      FROM sandbox_acquirer.instructions WHERE originator = a.book_id::text AND currency = a.currency) i
    WHERE a.code = 'acquirer' AND j.owed <> i.kept`,

  'merchant_pending is the sum of open shares, and a share that of its lines and releases': `
    SELECT a.book_id, a.id, a.posted_credits - a.posted_debits AS kept, s.amount FROM accounts a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS amount FROM payment_shares
      WHERE book_id = a.book_id AND currency = a.currency AND status = 'open') s
    WHERE a.code = 'merchant_pending' AND a.posted_credits - a.posted_debits <> s.amount
    UNION ALL
    SELECT s.book_id, s.id, s.amount, l.amount - r.amount FROM payment_shares s
    CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS amount FROM payment_share_lines WHERE book_id = s.book_id AND share_id = s.id) l
    CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS amount FROM payment_releases WHERE book_id = s.book_id AND share_id = s.id) r
    WHERE s.amount <> l.amount - r.amount OR (s.status = 'released' AND s.amount <> 0)`,

  'no refund stays in transit': `
    SELECT book_id, currency, posted_credits - posted_debits AS in_transit FROM accounts
    WHERE code = 'refunds_in_transit' AND posted_credits <> posted_debits`,

  'every payment was accepted under one key': `
    SELECT p.book_id, p.id, count(k.key) AS keys FROM payments p
    LEFT JOIN idempotency_keys k ON k.book_id = p.book_id AND k.resource = 'payment' AND k.resource_id = p.id AND k.status = 202
    GROUP BY 1, 2 HAVING count(k.key) <> 1`,

  'no acquirer contradicted itself, and no line of a report is left to a person': `
    SELECT kind, resource, resource_id FROM exceptions
    WHERE resource IN ('payment', 'dispute', 'settlement') AND kind <> 'dispute_on_refunded'`,

  'a notice of the acquirer is taken in once': `
    SELECT id, kind FROM sandbox_acquirer.notices WHERE acknowledged_at IS NULL`,
};

/** Returns the rows that break each rule, five at most. */
export async function brokenPayments(pool: Pool): Promise<Record<string, unknown[]>> {
  const wrong: Record<string, unknown[]> = {};
  for (const [rule, text] of Object.entries({ ...RULES, ...SETTLEMENT_RULES })) {
    const { rows } = await pool.query(`${text} LIMIT 5`);
    if (rows.length > 0) wrong[rule] = rows;
  }
  return wrong;
}
