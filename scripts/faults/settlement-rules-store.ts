/** Rules for disputes and for the acquirer's payments, once everything has ended: our rows against its records. */

/** Each query returns a row for each violation. */
export const SETTLEMENT_RULES: Record<string, string> = {
  'every dispute at the acquirer is one of ours, of the same amount and outcome, and no other is': `
    SELECT d.originator, d.dispute, d.stage, d.status AS there, d.amount AS amount_there, o.id, o.status, o.amount
    FROM sandbox_acquirer.disputes d
    FULL JOIN payment_disputes o ON o.book_id::text = d.originator AND o.acquirer_reference = d.dispute
    WHERE (o.stage, o.status, o.amount) IS DISTINCT FROM (d.stage, d.status, d.amount)
      OR o.status NOT IN ('won', 'lost') OR o.stuck_at IS NOT NULL OR o.pending_operation IS NOT NULL`,

  'each step of a dispute is booked once, and exactly the steps of its outcome': `
    SELECT d.id, d.stage, d.status, s.steps FROM payment_disputes d
    CROSS JOIN LATERAL (
      SELECT coalesce(string_agg(step, ' ' ORDER BY sequence), '') AS steps, coalesce(jsonb_agg(id ORDER BY sequence), '[]') AS ids
      FROM entries e WHERE e.book_id = d.book_id AND e.resource_id = d.id) s
    WHERE s.ids <> d.entry_ids
      OR s.steps <> CASE WHEN d.stage = 'inquiry' THEN '' WHEN d.status = 'won' THEN 'taken won' ELSE 'taken' END`,

  'what is disputed of a payment is the sum of its chargebacks that are not won': `
    SELECT p.id, p.amount_disputed, d.amount FROM payments p
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS amount FROM payment_disputes
      WHERE book_id = p.book_id AND payment_id = p.id AND stage = 'chargeback' AND status <> 'won') d
    WHERE p.amount_disputed <> d.amount`,

  'each line that the acquirer has paid is booked once': `
    WITH paid AS (
      SELECT originator, acquirer_reference AS line_id FROM sandbox_acquirer.instructions WHERE settled_by IS NOT NULL
      UNION ALL
      SELECT originator, id::text FROM sandbox_acquirer.notices WHERE settled_by IS NOT NULL
    )
    SELECT paid.originator, paid.line_id, l.book_id, l.line_id AS ours, count(l.id) AS times FROM paid
    FULL JOIN settlement_lines l ON l.book_id::text = paid.originator AND l.line_id = paid.line_id
    GROUP BY 1, 2, 3, 4 HAVING paid.line_id IS NULL OR count(l.id) <> 1`,

  'the acquirer owes what it has done and not paid, by its own records': `
    SELECT a.book_id, a.currency, a.posted_debits - a.posted_credits AS owed, there.owed AS owed_there FROM accounts a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS owed FROM (
        SELECT CASE WHEN i.kind = 'refund' THEN -i.amount ELSE i.amount END AS amount FROM sandbox_acquirer.instructions i
        WHERE i.originator = a.book_id::text AND i.currency = a.currency AND i.settled_by IS NULL AND i.status = 'succeeded'
          AND (i.kind IN ('capture', 'refund') OR (i.kind = 'authorize' AND i.captures AND i.captured > 0))
        UNION ALL
        SELECT CASE WHEN n.kind = 'dispute_won' THEN n.amount ELSE -n.amount END FROM sandbox_acquirer.notices n
        JOIN sandbox_acquirer.instructions i ON i.originator = n.originator AND i.reference = n.reference
        WHERE n.originator = a.book_id::text AND i.currency = a.currency AND n.settled_by IS NULL
          AND n.kind IN ('dispute_chargeback', 'dispute_won')
          AND (n.kind = 'dispute_chargeback' OR EXISTS (SELECT FROM sandbox_acquirer.disputes d
            WHERE d.originator = n.originator AND d.dispute = n.dispute AND d.stage = 'chargeback'))
      ) AS unpaid) there
    WHERE a.code = 'acquirer' AND a.posted_debits - a.posted_credits <> there.owed`,
};
