import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../values/ids.ts';
import type { CardBrand } from './card.ts';
import type { RecordStatus } from './sandbox-acquirer-store.ts';

/** A challenge as its page shows it. */
export interface SandboxChallenge {
  readonly originator: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly brand: CardBrand;
  readonly lastFour: string;
  readonly status: RecordStatus;
  /** It is neither passed nor failed nor expired. */
  readonly isOpen: boolean;
}

/** Index: instructions_challenge. */
export async function findChallenge(pool: Pool, challenge: string): Promise<SandboxChallenge | undefined> {
  const { rows } = await pool.query<SandboxChallenge>(
    `SELECT i.originator, i.reference, i.amount, i.currency, c.brand, c.last_four AS "lastFour", i.status,
       i.status = 'requires_action' AND i.challenge_expires_at > clock_timestamp() AS "isOpen"
     FROM sandbox_acquirer.instructions AS i JOIN sandbox_acquirer.cards AS c USING (token) WHERE i.challenge = $1`,
    [challenge],
  );
  return rows[0];
}

/**
 * The payer's answer to a challenge: passed, the authorization is approved (or declined by its script), else declined.
 * The same statement writes the notice. Undefined when no such challenge is open.
 */
export async function resolveChallenge(
  pool: Pool,
  given: { challenge: string; passed: boolean; noticeId: Uuid },
): Promise<{ originator: string; reference: string } | undefined> {
  const { rows } = await pool.query<{ originator: string; reference: string }>(
    `WITH judged AS (
       SELECT i.originator, i.reference, i.amount, i.captures,
         CASE WHEN NOT $2 THEN 'authentication_failed' WHEN c.script = 'challenge_declined' THEN 'generic_decline' END AS code
       FROM sandbox_acquirer.instructions AS i JOIN sandbox_acquirer.cards AS c USING (token)
       WHERE i.challenge = $1 AND i.status = 'requires_action' AND i.challenge_expires_at > clock_timestamp() FOR UPDATE OF i
     ), moved AS (
       UPDATE sandbox_acquirer.instructions AS i SET
         status = CASE WHEN j.code IS NULL THEN 'succeeded' ELSE 'declined' END, code = j.code,
         authorized = CASE WHEN j.code IS NULL THEN j.amount ELSE 0 END,
         captured = CASE WHEN j.code IS NULL AND j.captures THEN j.amount ELSE 0 END
       FROM judged AS j WHERE i.originator = j.originator AND i.reference = j.reference
       RETURNING i.originator, i.reference, i.status, i.code
     ), told AS (
       INSERT INTO sandbox_acquirer.notices (id, originator, reference, kind, code, created_at)
       SELECT $3, originator, reference, status, code, clock_timestamp() FROM moved
     )
     SELECT originator, reference FROM moved`,
    [given.challenge, given.passed, given.noticeId],
  );
  return rows[0];
}
