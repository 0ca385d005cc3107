/** What the sandbox acquirer pays a merchant: its records of captures, refunds and disputes that it has not paid yet. */

import { plainArray, textArray } from '../db/columns.ts';
import type { Pool, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Instant } from '../values/clock.ts';

export interface SandboxSettlement {
  /** Of this payment: asked again, it pays the same. */
  readonly key: string;
  readonly originator: string;
  /** Only what it received before. */
  readonly before: Instant;
  /** References whose outcome the merchant has not heard yet. */
  readonly except: readonly string[];
  /** What the merchant knows of disputes that were not paid yet: the notices of those that took money, and ids of won ones. */
  readonly disputes: { readonly taken: readonly string[]; readonly won: readonly string[] };
  /** So many records at most, the oldest first. */
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

/** What one report comes to at most, refunds counted as captures: no total of it passes 2^63. The rest is paid by the next one. */
const PAID_MAX = 2n ** 62n;

/** In basis points: what the sandbox acquirer keeps of a capture. */
const COST_BASIS_POINTS = 120n;

/**
 * Marks what is paid now, once for each key, and returns its lines in an order that never changes. A refund that has failed by
 * then is not taken; one that was taken and failed since is given back. Two payments may be made at once: what the other one took
 * while this one waited for the row is left to it, since the outer condition is tested again on the row as it is by then.
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
    const told = await markNotices(trx, settlement);
    await markInstructions(trx, { ...settlement, limit: limit - told });
  });
  return linesPaidBy(pool, key);
}

/**
 * What notices told of. Resolves to how many. Indexes: notices_unsettled, notices_by_dispute, notices_pkey. The list is made once and
 * joined by its keys alone: of a book that statistics do not know yet, the planner expects one row, and would make the list for each.
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
 * Captures and refunds, as many as PAID_MAX covers. Indexes: instructions_unsettled, notices_refund_failed, instructions_pkey. As above;
 * refunds that failed are read once, too (a hashed NOT IN: references are never null).
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
async function linesPaidBy(pool: Pool, key: string): Promise<SandboxSettlementLine[]> {
  const { rows } = await pool.query<{
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
