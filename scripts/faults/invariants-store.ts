/**
 * The invariants after any fault (docs: "nothing lost, nothing twice"). They are checked against three separate
 * records: the ledger's rows, the sandbox rail's own rows, and those of a webhook receiver. Each check is one query or
 * one comparison that returns its violations; an empty list means no violation.
 */
import { createHash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import type { Pool } from '../../src/db/pool.ts';
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS } from '../../src/groups.ts';
import { FIRST_EVENT, KEPT_COLUMNS } from '../../src/ledger/events/event-read-store.ts';
import { type KeptEventRow, wholePayload } from '../../src/ledger/events/render-event.ts';
import { fillPayloads } from '../../src/ledger/rows/personal-text-store.ts';
import { parsePublicId, publicId } from '../../src/values/ids.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import type { Endpoint } from '../harness/client.ts';
import { lookInto } from '../harness/database-store.ts';
import { pathOf, type Receiver } from '../harness/receiver.ts';

/** Each query returns one row for each violation. */
const RULES: Record<string, string> = {
  'debits equal credits in each book and currency': `
    SELECT book_id, currency, sum(posted_debits) AS debits, sum(posted_credits) AS credits
    FROM accounts GROUP BY 1, 2 HAVING sum(posted_debits) <> sum(posted_credits)`,

  'an account is the sum of its postings, and its lines have no gap': `
    WITH lines AS (
      SELECT book_id, debit_account_id AS id, debit_line AS line, debit_balance_after AS after, amount AS debit, 0 AS credit FROM postings
      UNION ALL
      SELECT book_id, credit_account_id, credit_line, credit_balance_after, 0, amount FROM postings
    ), running AS (
      SELECT *, sum(debit - credit) OVER (PARTITION BY book_id, id ORDER BY line) AS balance FROM lines
    ), summed AS (
      SELECT a.book_id, a.id, a.posted_debits, a.posted_credits, a.lines,
        coalesce(sum(debit), 0) AS debits, coalesce(sum(credit), 0) AS credits, count(line) AS found,
        coalesce(max(line), 0) AS last, count(DISTINCT line) AS different,
        count(*) FILTER (WHERE after <> CASE a.side WHEN 'debit' THEN balance ELSE -balance END) AS wrong
      FROM accounts a LEFT JOIN running USING (book_id, id)
      GROUP BY 1, 2, 3, 4, 5
    )
    SELECT * FROM summed WHERE posted_debits <> debits OR posted_credits <> credits OR wrong > 0
      OR lines <> found OR lines <> last OR lines <> different`,

  'held is the sum of open holds, and each hold that of its steps': `
    SELECT a.book_id, a.id, a.held_debits, a.held_credits, coalesce(h.remaining, 0) AS remaining
    FROM accounts a
    LEFT JOIN (SELECT book_id, account_id, sum(remaining) AS remaining FROM holds WHERE status = 'open' GROUP BY 1, 2) h
      ON h.book_id = a.book_id AND h.account_id = a.id
    WHERE CASE a.side WHEN 'credit' THEN a.held_debits ELSE a.held_credits END <> coalesce(h.remaining, 0)
      OR CASE a.side WHEN 'credit' THEN a.held_credits ELSE a.held_debits END <> 0
    UNION ALL
    SELECT h.book_id, h.id, h.amount, h.remaining, sum(s.amount) FILTER (WHERE s.kind NOT IN ('created', 'increased'))
    FROM holds h JOIN hold_steps s ON s.book_id = h.book_id AND s.hold_id = h.id
    GROUP BY h.book_id, h.id, h.amount, h.remaining, h.status, h.steps
    HAVING h.remaining <> h.amount - coalesce(sum(s.amount) FILTER (WHERE s.kind NOT IN ('created', 'increased')), 0)
      OR h.amount <> sum(s.amount) FILTER (WHERE s.kind IN ('created', 'increased'))
      OR (h.status = 'open') <> (h.remaining > 0) OR h.steps <> count(*)`,

  'no account is below its floor but by entries and holds that say so': `
    SELECT book_id, id, floor FROM accounts a
    WHERE floor IS NOT NULL AND floor > CASE side
        WHEN 'credit' THEN posted_credits - posted_debits - held_debits ELSE posted_debits - posted_credits - held_credits END
      AND NOT EXISTS (SELECT FROM entries e JOIN postings p ON p.book_id = e.book_id AND p.entry_sequence = e.sequence
        WHERE e.book_id = a.book_id AND e.floor_overridden AND a.id IN (p.debit_account_id, p.credit_account_id))
      AND NOT EXISTS (SELECT FROM holds h JOIN hold_steps s ON s.book_id = h.book_id AND s.hold_id = h.id
        WHERE h.book_id = a.book_id AND h.account_id = a.id AND h.status = 'open' AND s.floor_overridden)`,

  'entries and events are numbered without a gap': `
    SELECT b.id, b.entry_sequence, b.event_sequence, e.count AS entries, v.count AS events FROM books b
    CROSS JOIN LATERAL (SELECT count(*), coalesce(max(sequence), 0) AS last FROM entries WHERE book_id = b.id) e
    CROSS JOIN LATERAL (SELECT count(*), coalesce(max(sequence), 0) AS last FROM events WHERE book_id = b.id) v
    WHERE b.entry_sequence <> e.count OR e.count <> e.last OR b.event_sequence <> v.count OR v.count <> v.last`,

  'every payout has come to its end, and none is stuck': `
    SELECT book_id, id, status, outcome, stuck_error FROM payouts
    WHERE status IN ('pending', 'processing') OR stuck_at IS NOT NULL OR due_at IS NOT NULL`,

  'each step of a payout is booked once, and exactly the steps of its status': `
    -- By book and payout at once: a look at the entries for each payout took longer than the client waits.
    WITH booked AS (
      SELECT book_id, resource_id AS payout_id, sequence, step, id AS own FROM entries
      UNION ALL
      -- Those of its returns, which no list of the payout has.
      SELECT r.book_id, r.payout_id, e.sequence, e.step, NULL
      FROM payout_returns r JOIN entries e ON e.book_id = r.book_id AND e.resource_id = r.id
    ), steps AS (
      SELECT book_id, payout_id AS id, string_agg(regexp_replace(step, '_[0-9]+$', ''), ' ' ORDER BY sequence) AS steps,
        jsonb_agg(own ORDER BY sequence) FILTER (WHERE own IS NOT NULL) AS ids,
        string_agg(uuid_send(own), '' ORDER BY sequence) FILTER (WHERE own IS NOT NULL) AS packed_ids
      FROM booked GROUP BY 1, 2
    )
    SELECT p.book_id, p.id, p.status, e.steps, p.entry_ids, p.packed_entry_ids
    FROM payouts p LEFT JOIN steps s USING (book_id, id)
    CROSS JOIN LATERAL (
      SELECT coalesce(s.steps, '') AS steps, coalesce(s.ids, '[]') AS ids, coalesce(s.packed_ids, '') AS packed_ids) e
    WHERE e.ids <> p.entry_ids OR e.packed_ids <> p.packed_entry_ids OR NOT CASE p.status
      WHEN 'paid' THEN e.steps ~ '^reserved (paid|failed paid_after_failed)( returned)*$'
      WHEN 'returned' THEN e.steps ~ '^reserved (paid|failed paid_after_failed)( returned)+$' AND p.amount_returned = p.amount
      WHEN 'failed' THEN e.steps IN ('', 'reserved failed')
      ELSE e.steps = '' END`,

  'what left at the rail is what left in the ledger, payout by payout': `
    SELECT coalesce(l.book, r.book) AS book, coalesce(l.e2e, r.e2e) AS end_to_end_id, l.id, l.net AS ledger, r.net AS rail
    FROM (
      SELECT book_id::text AS book, end_to_end_id AS e2e, id, currency,
        CASE WHEN status IN ('paid', 'returned') THEN amount - amount_returned ELSE 0 END AS net
      FROM payouts WHERE rail = 'sandbox'
    ) l FULL JOIN (
      SELECT originator AS book, end_to_end_id AS e2e, currency,
        CASE WHEN status = 'paid' THEN amount - amount_returned ELSE 0 END AS net
      FROM sandbox_rail.instructions
    ) r ON r.book = l.book AND r.e2e = l.e2e AND r.currency = l.currency
    WHERE coalesce(l.net, 0) <> coalesce(r.net, 0) OR l.id IS NULL`,

  'what is left of the money at the bank is what came in, and what the acquirer paid, less what left at the rail and what the operator took': `
    SELECT a.book_id, a.currency, a.posted_debits - a.posted_credits AS pool, i.amount AS came_in, o.amount AS left_at_rail,
      s.amount AS acquirer_paid, f.amount AS fees
    FROM accounts a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS amount FROM (
        SELECT amount FROM inbound_transfers WHERE book_id = a.book_id AND currency = a.currency
        UNION ALL
        -- Money that belonged to nobody, until two persons gave it an account.
        SELECT amount FROM exceptions WHERE book_id = a.book_id AND currency = a.currency AND account_id IS NULL
          AND target_account_id IS NOT NULL AND stage = 'approved'
      ) AS arrived) i
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS amount FROM (
        SELECT amount - amount_returned AS amount FROM sandbox_rail.instructions
        WHERE originator = a.book_id::text AND currency = a.currency AND status = 'paid'
        UNION ALL
        -- Rails of partners keep records of their own, which are not in this database.
        SELECT amount - amount_returned FROM payouts
        WHERE book_id = a.book_id AND currency = a.currency AND rail NOT IN ('book', 'sandbox') AND status IN ('paid', 'returned')
      ) AS left_at_rails) o
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS amount FROM (
        SELECT CASE kind WHEN 'refund' THEN -amount ELSE amount END AS amount FROM sandbox_acquirer.instructions
        WHERE originator = a.book_id::text AND currency = a.currency AND settled_by IS NOT NULL
        UNION ALL
        SELECT CASE n.kind WHEN 'dispute_chargeback' THEN -1 ELSE 1 END * coalesce(n.amount, f.amount)
        FROM sandbox_acquirer.notices n JOIN sandbox_acquirer.instructions f USING (originator, reference)
        WHERE n.originator = a.book_id::text AND f.currency = a.currency AND n.settled_by IS NOT NULL
      ) paid) s
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount), 0) AS amount FROM fee_collections WHERE book_id = a.book_id AND currency = a.currency
    ) f
    WHERE a.code = 'pool' AND a.posted_debits - a.posted_credits <> i.amount + s.amount - o.amount - f.amount`,

  'nothing stays in transit': `
    SELECT book_id, currency, posted_credits - posted_debits AS in_transit FROM accounts
    WHERE code = 'payouts_in_transit' AND posted_credits <> posted_debits`,

  'every payout was accepted under one key': `
    SELECT p.book_id, p.id, count(k.key) AS keys FROM payouts p
    LEFT JOIN idempotency_keys k
      ON k.book_id = p.book_id AND k.resource = 'payout' AND k.resource_id = p.id AND k.status = 202
    WHERE p.batch_id IS NULL
    GROUP BY 1, 2 HAVING count(k.key) <> 1`,

  'every batch was accepted under one key': `
    SELECT b.book_id, b.id, count(k.key) AS keys FROM payout_batches b
    LEFT JOIN idempotency_keys k
      ON k.book_id = b.book_id AND k.resource = 'payout_batch' AND k.resource_id = b.id AND k.status = 202
    GROUP BY 1, 2 HAVING count(k.key) <> 1`,

  'a notice of the rail is taken in once': `
    SELECT n.id, n.kind, n.acknowledged_at FROM sandbox_rail.notices n WHERE n.acknowledged_at IS NULL`,

  'every event is there once for each endpoint that wants all of them': `
    SELECT w.book_id, w.id, found.count, wanted.count AS wanted FROM webhook_endpoints w
    CROSS JOIN LATERAL (
      SELECT count(*), min(event_sequence) AS first FROM webhook_deliveries d JOIN events e ON e.book_id = d.book_id AND e.sequence = d.event_sequence
      WHERE d.book_id = w.book_id AND d.endpoint_id = w.id AND e.type <> 'webhook.test') found
    CROSS JOIN LATERAL (
      SELECT count(*) FROM events WHERE book_id = w.book_id AND sequence >= found.first AND type <> 'webhook.test') wanted
    WHERE w.events = '{*}' AND w.status = 'enabled' AND w.disabled_reason IS NULL AND w.version = 1 AND found.count <> wanted.count`,
};

export interface InvariantsOf {
  database: { superuserUrl: string };
  /** Endpoints whose events must all have arrived at the receiver. */
  receiver?: Receiver;
  endpoints?: readonly Endpoint[];
}

/** Returns violations, by rule. */
export async function brokenInvariants({
  database,
  receiver,
  endpoints = [],
}: InvariantsOf): Promise<Record<string, unknown>> {
  const pool = lookInto(database);
  try {
    const wrong: Record<string, unknown> = {};
    for (const [rule, sql] of Object.entries(RULES)) {
      const { rows } = await pool.query(sql);
      if (rows.length > 0) wrong[rule] = rows.slice(0, 5);
    }
    const broken = await brokenChains(pool);
    if (broken.length > 0) wrong['each entry carries the hash of the one before'] = broken;
    const findings = await verified(pool);
    if (findings.length > 0) wrong['`npm run verify` finds nothing'] = findings.slice(0, 5);
    const unexplained = await balancesNotFromEvents(pool);
    if (unexplained.length > 0) wrong['balances can be rebuilt from events alone'] = unexplained;
    for (const endpoint of endpoints) {
      const missing = receiver ? await notReceived(pool, receiver, endpoint) : [];
      if (missing.length > 0) wrong[`what ${endpoint.url} received is what happened`] = missing.slice(0, 5);
    }
    return wrong;
  } finally {
    await pool.end();
  }
}

/** Runs the product's own verification. */
async function verified(pool: Pool): Promise<Finding[]> {
  const findings: Finding[] = [];
  await verifyDatabase(pool, { groups: GROUPS, onFinding: (finding) => findings.push(finding) });
  return findings;
}

/** Computes the chain without the product's code: columns from SQL, a general canonicaliser, SHA-256. */
async function brokenChains(pool: Pool): Promise<unknown[]> {
  const { rows } = await pool.query<{ book_id: string; sequence: bigint; hash: Buffer; head: Buffer; entry: object }>(`
    SELECT e.book_id, e.sequence, e.hash, b.chain_hash AS head, jsonb_build_object(
      'book_id', e.book_id, 'sequence', e.sequence::text, 'id', e.id, 'resource', e.resource, 'resource_id', e.resource_id,
      'step', e.step, 'request_id', e.request_id, 'floor_overridden', e.floor_overridden, 'text_digest', encode(e.text_digest, 'hex'),
      'posted_at', to_char(e.posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'effective_at', to_char(e.effective_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'postings', (SELECT jsonb_agg(jsonb_build_object(
          'ordinal', p.ordinal::text, 'amount', p.amount::text, 'currency', p.currency,
          'debit_account_id', p.debit_account_id, 'debit_line', p.debit_line::text, 'debit_balance_after', p.debit_balance_after::text,
          'credit_account_id', p.credit_account_id, 'credit_line', p.credit_line::text, 'credit_balance_after', p.credit_balance_after::text
        ) ORDER BY p.ordinal) FROM postings p WHERE p.book_id = e.book_id AND p.entry_sequence = e.sequence)
    ) || jsonb_strip_nulls(jsonb_build_object('reverses', e.reverses, 'occurred_on', e.occurred_on)) AS entry
    FROM entries e JOIN books b ON b.id = e.book_id ORDER BY e.book_id, e.sequence`);
  const broken: unknown[] = [];
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    const previous = before?.book_id === row.book_id ? before.hash : Buffer.alloc(32);
    const text = canonicalize({ ...row.entry, previous_hash: previous.toString('hex') });
    if (!createHash('sha256').update(text).digest().equals(row.hash))
      broken.push(`${row.book_id} entry ${row.sequence}`);
    const isLast = rows[at + 1]?.book_id !== row.book_id;
    if (isLast && !row.hash.equals(row.head)) broken.push(`${row.book_id}: its head is not its last entry's hash`);
  }
  return broken;
}

/** A reader of events alone must come to the same balances. Several events may name one entry, all alike, and it counts once. */
async function balancesNotFromEvents(pool: Pool): Promise<unknown[]> {
  const { rows: postings } = await pool.query<{ line: string }>(`
    SELECT concat_ws(' ', book_id, entry_sequence, amount, debit_balance_after, credit_balance_after) AS line FROM postings`);
  const untold = new Map<string, number>();
  const count = (line: string, by: number) => untold.set(line, (untold.get(line) ?? 0) + by);
  for (const { line } of postings) count(line, 1);
  const { rows: events } = await pool.query<KeptEventRow>(`SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT}`);
  const entries = new Map<string, string>();
  for (const event of events) {
    for (const entry of JSON.parse(wholePayload(event)).journal_entries ?? []) {
      const text = JSON.stringify(entry);
      const before = entries.get(entry.id);
      if (before !== undefined && before !== text) count(`${event.book_id} ${entry.sequence} told otherwise`, -1);
      if (before !== undefined) continue;
      entries.set(entry.id, text);
      for (const { amount, debit, credit } of entry.postings)
        count([event.book_id, entry.sequence, amount, debit.balance_after, credit.balance_after].join(' '), -1);
    }
  }
  return [...untold].filter(([, times]) => times !== 0).slice(0, 5);
}

/** Every event of the endpoint arrived at least once, signed, byte for byte as stored, with its texts. Nothing else arrived. */
async function notReceived(pool: Pool, receiver: Receiver, endpoint: Endpoint): Promise<unknown[]> {
  const { rows: deliveries } = await pool.query<KeptEventRow & { status: string }>(
    `
    SELECT e.*, d.status FROM webhook_deliveries d
    JOIN (SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT}) e ON e.book_id = d.book_id AND e.sequence = d.event_sequence
    WHERE d.endpoint_id = $1`,
    [parsePublicId('webhookEndpoint', endpoint.id)],
  );
  const kept = deliveries.map((row) => ({ ...row, payload: wholePayload(row), textReferences: row.text_references }));
  const books = [...new Set(kept.map((row) => row.book_id))];
  const ofBook = (bookId: string) => kept.filter((row) => row.book_id === bookId);
  const rows = (await Promise.all(books.map((bookId) => fillPayloads(pool, bookId, ofBook(bookId))))).flat();
  const expected = new Map(rows.map((row) => [publicId('event', row.id), row]));
  const wrong: unknown[] = [];
  const arrived = new Set<string>();
  for (const { id, body, forged, answered } of receiver.at(pathOf(endpoint))) {
    if (forged) wrong.push(`${id}: ${forged}`);
    if (expected.get(id)?.payload !== body) wrong.push(`${id}: arrived, and is not what the ledger keeps`);
    if (answered !== undefined && answered < 300) arrived.add(id);
  }
  for (const [id, { status }] of expected) {
    if (status !== 'delivered') wrong.push(`${id}: ${status}`);
    if (!arrived.has(id)) wrong.push(`${id}: never arrived`);
  }
  return wrong;
}
