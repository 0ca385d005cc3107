/** The sandbox acquirer's records of disputes, on its own connections. The notices of a dispute are written with its record. */
import { textArray } from '../db/columns.ts';
import type { Pool, Transaction } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Uuid } from '../values/ids.ts';
import type { AcquirerNotice, DisputeInstruction } from './acquirer.ts';
import type { BeyondBounds, DisputeBounds } from './dispute-bounds.ts';
import { findRecord, type InstructionRecord } from './sandbox-acquirer-store.ts';
import { disputeIdSql, readNotice } from './sandbox-notice-store.ts';

export interface DisputeOpening {
  /** Of the notice. A second opening under the same id returns the first notice. */
  readonly noticeId: Uuid;
  readonly originator: string;
  /** The instruction that is disputed. */
  readonly reference: string;
  readonly stage: 'inquiry' | 'chargeback';
  /** Left out: the whole remainder within the bounds. */
  readonly amount?: bigint | undefined;
  readonly reason: string;
  readonly within?: DisputeBounds | undefined;
}

/** Undefined for an unknown instruction. */
export function openDispute(pool: Pool, given: DisputeOpening): Promise<AcquirerNotice | BeyondBounds | undefined> {
  const { noticeId, originator, reference, stage, reason, within } = given;
  return inTransaction(pool, async (trx) => {
    const earlier = await lockAndFind(trx, given);
    if (earlier) return earlier;
    const asked = given.amount ?? null;
    const judged = within ? await judge(trx, { originator, within, amount: asked, besides: null }) : asked;
    if (typeof judged === 'object' && judged !== null) return judged;
    await trx.query(
      `WITH opened AS (
         INSERT INTO sandbox_acquirer.disputes (originator, dispute, reference, stage, status, amount, reason, created_at)
         SELECT originator, ${disputeIdSql('$1::uuid')}, reference, $4, 'open', $5, $6, clock_timestamp()
         FROM sandbox_acquirer.instructions WHERE originator = $2 AND reference = $3
         ON CONFLICT DO NOTHING RETURNING originator, reference, dispute, stage, amount, reason
       )
       INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, amount, code, dispute, created_at)
       SELECT $1, originator, reference, 'dispute_' || stage, amount, reason, dispute, clock_timestamp() FROM opened
       ON CONFLICT (id) DO NOTHING`,
      [noticeId, originator, reference, stage, judged, reason],
    );
    return readNotice(trx, noticeId);
  });
}

export interface DisputeMove {
  readonly noticeId: Uuid;
  readonly originator: string;
  readonly dispute: string;
  /** `escalated`: an inquiry, or a dispute that the merchant has won, becomes a chargeback. */
  readonly to: 'won' | 'lost' | 'escalated';
  /** Of an escalation. */
  readonly within?: DisputeBounds | undefined;
}

/** Undefined where the status does not allow it. A second move under the same id returns the first notice. */
export function moveDispute(pool: Pool, move: DisputeMove): Promise<AcquirerNotice | BeyondBounds | undefined> {
  const { noticeId, originator, dispute, to, within } = move;
  return inTransaction(pool, async (trx) => {
    const earlier = await lockAndFind(trx, move);
    if (earlier) return earlier;
    if (within && to === 'escalated') {
      const { rows } = await trx.query<{ amount: bigint }>(
        'SELECT amount FROM sandbox_acquirer.disputes WHERE originator = $1 AND dispute = $2',
        [originator, dispute],
      );
      const amount = rows[0]?.amount;
      if (amount === undefined) return undefined;
      const judged = await judge(trx, { originator, within, amount, besides: dispute });
      if (typeof judged === 'object') return judged;
    }
    await trx.query(
      `WITH moved AS (
         UPDATE sandbox_acquirer.disputes SET
           status = CASE WHEN $4 = 'escalated' THEN 'open' ELSE $4 END,
           stage = CASE WHEN $4 = 'escalated' THEN 'chargeback' ELSE stage END
         WHERE originator = $2 AND dispute = $3 AND NOT EXISTS (SELECT FROM sandbox_acquirer.notices WHERE id = $1)
           AND CASE WHEN $4 = 'escalated' THEN stage = 'inquiry' OR status = 'won' ELSE status IN ('open', 'evidence') END
         RETURNING originator, reference, dispute, amount, reason
       )
       INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, amount, code, dispute, created_at)
       SELECT $1, originator, reference, CASE WHEN $4 = 'escalated' THEN 'dispute_chargeback' ELSE 'dispute_' || $4 END, amount,
              reason, dispute, clock_timestamp() FROM moved
       ON CONFLICT (id) DO NOTHING`,
      [noticeId, originator, dispute, to],
    );
    return readNotice(trx, noticeId);
  });
}

/** Bounds are checked under the lock of the payment's authorization. Finds the notice of an earlier call under the same id. */
async function lockAndFind(
  trx: Transaction,
  { noticeId, originator, within }: { noticeId: Uuid; originator: string; within?: DisputeBounds | undefined },
): Promise<AcquirerNotice | undefined> {
  if (within)
    await trx.query('SELECT FROM sandbox_acquirer.instructions WHERE originator = $1 AND reference = $2 FOR UPDATE', [
      originator,
      within.payment,
    ]);
  return readNotice(trx, noticeId);
}

/**
 * The amount to dispute now, or the disputes that prevent it. A dispute counts while it has an unread notice, and a
 * chargeback until it is won: so what is within the bounds here is within them when the merchant books it.
 *
 * Indexes: disputes_pkey for those of the originator, instructions_pkey, notices_by_dispute.
 */
async function judge(
  trx: Transaction,
  asked: { originator: string; within: DisputeBounds; amount: bigint | null; besides: string | null },
): Promise<bigint | BeyondBounds> {
  const { originator, within, amount, besides } = asked;
  const { rows } = await trx.query<{ disputed: bigint; disputes: bigint }>(
    `SELECT coalesce(sum(d.amount) FILTER (
         WHERE d.dispute IS DISTINCT FROM $3 AND (d.stage = 'chargeback' AND d.status <> 'won' OR told.unread > 0)
       ), 0)::bigint AS disputed,
       coalesce(sum(told.openings), 0)::bigint AS disputes
     FROM sandbox_acquirer.disputes AS d JOIN sandbox_acquirer.instructions AS i USING (originator, reference)
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE n.kind IN ('dispute_inquiry', 'dispute_chargeback')) AS openings,
              count(*) FILTER (WHERE n.acknowledged_at IS NULL) AS unread
       FROM sandbox_acquirer.notices AS n WHERE n.originator = d.originator AND n.dispute = d.dispute
     ) AS told
     WHERE d.originator = $1 AND $2 IN (i.reference, i.of_reference)`,
    [originator, within.payment, besides],
  );
  const { disputed, disputes } = rows[0]!;
  const left = within.captured - disputed;
  const takes = amount ?? left;
  if (disputes < BigInt(within.disputesMax) && takes > 0n && takes <= left) return takes;
  return { disputed, disputes: Number(disputes), amount };
}

/**
 * Records a merchant's answer to a dispute, under the dispute's lock. A known reference is returned unchanged. Declined
 * once the dispute is answered or decided. Undefined for an unknown dispute.
 */
export async function recordAnswer(
  pool: Pool,
  { originator, reference, kind, of, amount, currency, evidence }: DisputeInstruction,
  acquirerReference: string,
): Promise<InstructionRecord | undefined> {
  await pool.query(
    `WITH judged AS (
       SELECT d.originator, d.dispute, d.status = 'open' AS taken FROM sandbox_acquirer.disputes AS d
       WHERE d.originator = $1 AND d.dispute = $4
         AND NOT EXISTS (SELECT FROM sandbox_acquirer.instructions WHERE originator = $1 AND reference = $2)
       FOR UPDATE OF d
     ), moved AS (
       UPDATE sandbox_acquirer.disputes AS d SET
         status = CASE WHEN $3 = 'evidence' THEN 'evidence' ELSE 'accepted' END, evidence = $8
       FROM judged AS j WHERE j.taken AND d.originator = j.originator AND d.dispute = j.dispute
     )
     INSERT INTO sandbox_acquirer.instructions AS i
       (originator, reference, kind, of_reference, amount, currency, status, code, acquirer_reference, submissions, received_at)
     SELECT $1, $2, $3, $4, $5, $6, CASE WHEN taken THEN 'succeeded' ELSE 'declined' END,
            CASE WHEN taken THEN NULL ELSE 'processing_error' END, $7, 1, clock_timestamp()
     FROM judged ON CONFLICT (originator, reference) DO NOTHING`,
    [originator, reference, kind, of, amount, currency, acquirerReference, textArray(Object.keys(evidence))],
  );
  return findRecord(pool, { originator, reference });
}
