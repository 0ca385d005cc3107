import type { Pool } from '../db/pool.ts';
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
  /** Nobody has passed or failed it, and its time is not over. */
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
