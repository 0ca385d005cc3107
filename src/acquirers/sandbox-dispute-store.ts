/** The sandbox acquirer's records of disputes, on its own connections. What it tells of one is written with the record. */
import { textArray } from '../db/columns.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { AcquirerNotice, DisputeInstruction } from './acquirer.ts';
import { findRecord, type InstructionRecord } from './sandbox-acquirer-store.ts';
import { disputeIdSql, readNotice } from './sandbox-notice-store.ts';

export interface DisputeOpening {
  /** Of the notice: opened again under the same one, the first dispute stands. */
  readonly noticeId: Uuid;
  readonly originator: string;
  /** The instruction that is disputed. */
  readonly reference: string;
  readonly stage: 'inquiry' | 'chargeback';
  readonly amount: bigint;
  readonly reason: string;
}

/** Undefined where there is no such instruction. */
export async function openDispute(pool: Pool, given: DisputeOpening): Promise<AcquirerNotice | undefined> {
  const { noticeId, originator, reference, stage, amount, reason } = given;
  await pool.query(
    `WITH opened AS (
       INSERT INTO sandbox_acquirer.disputes (originator, dispute, reference, stage, status, amount, reason, created_at)
       SELECT originator, ${disputeIdSql('$1::uuid')}, reference, $4, 'open', $5, $6, clock_timestamp()
       FROM sandbox_acquirer.instructions WHERE originator = $2 AND reference = $3
       ON CONFLICT DO NOTHING RETURNING originator, reference, dispute, stage, amount, reason
     )
     INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, amount, code, dispute, created_at)
     SELECT $1, originator, reference, 'dispute_' || stage, amount, reason, dispute, clock_timestamp() FROM opened
     ON CONFLICT (id) DO NOTHING`,
    [noticeId, originator, reference, stage, amount, reason],
  );
  return readNotice(pool, noticeId);
}

export interface DisputeMove {
  readonly noticeId: Uuid;
  readonly originator: string;
  readonly dispute: string;
  /** `escalated`: an inquiry, or what the merchant has won, becomes a chargeback. */
  readonly to: 'won' | 'lost' | 'escalated';
}

/** Undefined where the dispute cannot move so. Told again under the same id, the first notice stands. */
export async function moveDispute(
  pool: Pool,
  { noticeId, originator, dispute, to }: DisputeMove,
): Promise<AcquirerNotice | undefined> {
  await pool.query(
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
  return readNotice(pool, noticeId);
}

/**
 * Records what a merchant says to a dispute, under the dispute's lock. A known reference is returned as it is. What comes when
 * the dispute is answered or decided is declined. Undefined where there is no such dispute.
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
