/**
 * What the sandbox acquirer pays a merchant: its records of captures, refunds and disputes that it has not paid yet.
 */

import { plainArray, textArray } from '../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Instant } from '../values/clock.ts';

export interface SandboxSettlement {
  /** Of the payment: the same key pays the same lines. */
  readonly key: string;
  readonly originator: string;
  /** Only records received before it. */
  readonly before: Instant;
  /** References whose outcome the merchant does not know yet. */
  readonly except: readonly string[];
  /** Unpaid disputes that the merchant has booked: ids of the notices of those that took money, and ids of won ones. */
  readonly disputes: { readonly taken: readonly string[]; readonly won: readonly string[] };
  /** Most records, the oldest first. */
  readonly limit: number;
}

export interface SandboxSettlementLine {
  readonly lineId: string;
  readonly type: 'capture' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_won';
  readonly reference: string;
  readonly currency: string;
  readonly gross: bigint;
  readonly cost: bigint;
}

/** The most that one report totals, refunds counted as captures: no total of it passes 2^63. The next report pays the rest. */
const PAID_MAX = 2n ** 62n;

/** In basis points: what the sandbox acquirer keeps of a capture. */
const COST_BASIS_POINTS = 120n;

/**
 * Marks what is paid now, once for each key, and returns its lines in a fixed order. A refund that has failed by then
 * is left out; one that was paid and failed since is given back. Two payments may run at once: a record that the other
 * one paid while this one waited for its row is left to it, because Postgres tests the outer condition again on the
 * changed row.
 */
export async function settleAtSandbox(pool: Pool, settlement: SandboxSettlement): Promise<SandboxSettlementLine[]> {
  const { key, originator, limit } = settlement;
  await inTransaction(pool, async (trx) => {
    const { rowCount } = await trx.query(
      `INSERT INTO sandbox_acquirer.settlements (key, originator, made_at) VALUES ($1, $2, clock_timestamp())
       ON CONFLICT DO NOTHING`,
      [key, originator],
    );
    if (rowCount === 0) return;
    const marked = await markNotices(trx, settlement);
    await markInstructions(trx, { ...settlement, limit: limit - marked });
    await payAtBank(trx, { key, originator, lines: await linesPaidBy(trx, key) });
  });
  return linesPaidBy(pool, key);
}

interface PaidAtBank extends Pick<SandboxSettlement, 'key' | 'originator'> {
  readonly lines: readonly SandboxSettlementLine[];
}

/** The sandbox's bank moves the net of each currency, under the name of the report. Nothing moves where it is zero. */
async function payAtBank(trx: Transaction, { key, originator, lines }: PaidAtBank): Promise<void> {
  const nets = new Map<string, bigint>();
  for (const { currency, gross, cost } of lines) nets.set(currency, (nets.get(currency) ?? 0n) + gross - cost);
  const moved = [...nets].filter(([, net]) => net !== 0n);
  if (moved.length === 0) return;
  await trx.query(
    `INSERT INTO sandbox_bank.movements (id, kind, originator, amount, currency, moved_at, reference, standing)
     SELECT gen_random_uuid(), 'settlement', $1, net, currency, clock_timestamp(), $2, 'moved'
     FROM unnest($3::text[], $4::bigint[]) AS paid (currency, net)`,
    [
      originator,
      `payday ${key}`,
      textArray(moved.map(([currency]) => currency)),
      plainArray(moved.map(([, net]) => net)),
    ],
  );
}

/**
 * Marks notices. Resolves to their number. Indexes: notices_unsettled, notices_by_dispute, notices_pkey.
 *
 * The list is materialized and joined by its keys alone: for a book without statistics the planner expects one row, and
 * would make the list again for each.
 */
async function markNotices(
  trx: Transaction,
  { key, originator, before, except, disputes, limit }: SandboxSettlement,
): Promise<number> {
  const { rowCount } = await trx.query(
    `WITH told AS MATERIALIZED (
       SELECT n.id FROM sandbox_acquirer.notices AS n
       WHERE n.originator = $1 AND n.settled_by IS NULL AND n.created_at <= $3 AND NOT n.reference = ANY ($4::text[])
         AND ((n.kind = 'dispute_chargeback' AND n.id = ANY ($5::uuid[]))
           OR (n.kind = 'dispute_won' AND n.dispute = ANY ($6::text[]) AND EXISTS (
             -- An inquiry of the same id that was won had taken nothing.
             SELECT FROM sandbox_acquirer.notices AS taken WHERE taken.originator = n.originator AND taken.dispute = n.dispute
               AND taken.kind = 'dispute_chargeback' AND taken.created_at <= n.created_at))
           OR (n.kind = 'refund_failed' AND EXISTS (
             SELECT FROM sandbox_acquirer.instructions AS i
             WHERE i.originator = n.originator AND i.reference = n.reference AND i.settled_by IS NOT NULL)))
       ORDER BY n.created_at, n.id LIMIT $7)
     UPDATE sandbox_acquirer.notices AS n SET settled_by = $2 FROM told WHERE n.id = told.id AND n.settled_by IS NULL`,
    [originator, key, new Date(before), textArray(except), plainArray(disputes.taken), textArray(disputes.won), limit],
  );
  return rowCount ?? 0;
}

/**
 * Captures and refunds, as many as PAID_MAX covers. Indexes: instructions_unsettled, notices_refund_failed,
 * instructions_pkey.
 *
 * Materialized as above. Failed refunds are read once, too (a hashed NOT IN: references are never null).
 */
async function markInstructions(
  trx: Transaction,
  { key, originator, before, except, limit }: SandboxSettlement,
): Promise<void> {
  await trx.query(
    `WITH held AS MATERIALIZED (
       SELECT originator, reference FROM (
         SELECT i.originator, i.reference, sum(i.amount) OVER (ORDER BY i.received_at, i.reference) AS paid
         FROM sandbox_acquirer.instructions AS i
         WHERE i.originator = $1 AND i.settled_by IS NULL AND i.status = 'succeeded' AND i.received_at <= $3
           AND NOT i.reference = ANY ($4::text[])
           AND (i.kind IN ('capture', 'refund') OR (i.kind = 'authorize' AND i.captures AND i.captured > 0))
           AND i.reference NOT IN (
             SELECT n.reference FROM sandbox_acquirer.notices AS n WHERE n.originator = $1 AND n.kind = 'refund_failed')
         ORDER BY i.received_at, i.reference LIMIT $5) AS counted WHERE paid <= $6)
     UPDATE sandbox_acquirer.instructions AS i SET settled_by = $2 FROM held
     WHERE i.originator = held.originator AND i.reference = held.reference AND i.settled_by IS NULL`,
    [originator, key, new Date(before), textArray(except), limit, PAID_MAX],
  );
}

/** Indexes: instructions_settled, notices_settled. */
async function linesPaidBy(db: Queryable, key: string): Promise<SandboxSettlementLine[]> {
  const { rows } = await db.query<{
    line_id: string;
    type: SandboxSettlementLine['type'];
    reference: string;
    currency: string;
    amount: bigint;
  }>(
    `SELECT i.acquirer_reference AS line_id, CASE WHEN i.kind = 'refund' THEN 'refund' ELSE 'capture' END AS type, i.reference,
       i.currency, i.amount, i.received_at AS at
     FROM sandbox_acquirer.instructions AS i WHERE i.settled_by = $1
     UNION ALL
     SELECT n.id::text, CASE n.kind WHEN 'dispute_chargeback' THEN 'dispute' ELSE n.kind END, n.reference, i.currency,
       coalesce(n.amount, i.amount), n.created_at
     FROM sandbox_acquirer.notices AS n
     JOIN sandbox_acquirer.instructions AS i ON i.originator = n.originator AND i.reference = n.reference
     WHERE n.settled_by = $1
     ORDER BY at, line_id`,
    [key],
  );
  return rows.map(({ line_id, type, reference, currency, amount }) => ({
    lineId: line_id,
    type,
    reference,
    currency,
    gross: type === 'refund' || type === 'dispute' ? -amount : amount,
    cost: type === 'capture' ? (amount * COST_BASIS_POINTS) / 10_000n : 0n,
  }));
}
