/** The sandbox acquirer's records of requests to pay. No payer exists: a simulation answers each request. */

import type { Pool } from '../db/pool.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { type InstructionRecord, RECORD, type RecordRow, toRecord } from './sandbox-acquirer-store.ts';

export interface Request {
  readonly originator: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly acquirerReference: string;
  readonly notAfter: Instant;
}

/**
 * Records a request once: a known reference is returned unchanged, a canceled one stays canceled, and a late one is
 * declined by the database's clock (shifted by `clockAheadMs`). The alias is not stored.
 */
export async function recordRequest(
  pool: Pool,
  given: Request,
  rule: { closesBeforeMs: number; clockAheadMs: number },
): Promise<InstructionRecord> {
  const { rows } = await pool.query<RecordRow>(
    `WITH judged AS (
       SELECT moment.now, $6::timestamptz - $7::bigint * interval '1 ms' < moment.now AS late
       FROM (SELECT clock_timestamp() + $8::bigint * interval '1 ms' AS now) AS moment
     ), taken AS (
       INSERT INTO sandbox_acquirer.instructions AS i
         (originator, reference, kind, amount, currency, status, code, captures, acquirer_reference, submissions, received_at)
       SELECT $1, $2, 'authorize', $3, $4, CASE WHEN late THEN 'declined' ELSE 'requires_action' END,
         CASE WHEN late THEN 'processing_error' END, true, $5, 1, now FROM judged
       ON CONFLICT (originator, reference) DO UPDATE SET submissions = i.submissions + 1
       RETURNING i.*
     )
     SELECT ${RECORD} FROM taken AS i LEFT JOIN sandbox_acquirer.cards AS c USING (token)`,
    [
      given.originator,
      given.reference,
      given.amount,
      given.currency,
      given.acquirerReference,
      new Date(given.notAfter),
      rule.closesBeforeMs,
      rule.clockAheadMs,
    ],
  );
  return toRecord(rows[0]!);
}

/** The payer's answer to an open request, with its notice in the same statement. Does nothing when no such request is open. */
export async function resolveRequest(
  pool: Pool,
  given: { originator: string; reference: string; approved: boolean; noticeId: Uuid },
): Promise<void> {
  await pool.query(
    `WITH moved AS (
       UPDATE sandbox_acquirer.instructions AS i SET
         status = CASE WHEN $3 THEN 'succeeded' ELSE 'declined' END, code = CASE WHEN NOT $3 THEN 'generic_decline' END,
         authorized = CASE WHEN $3 THEN amount ELSE 0 END, captured = CASE WHEN $3 THEN amount ELSE 0 END
       WHERE originator = $1 AND reference = $2 AND kind = 'authorize' AND token IS NULL AND status = 'requires_action'
       RETURNING i.originator, i.reference, i.status, i.code
     )
     INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, code, created_at)
     SELECT $4, originator, reference, status, code, clock_timestamp() FROM moved`,
    [given.originator, given.reference, given.approved, given.noticeId],
  );
}
