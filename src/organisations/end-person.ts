import type { Pool } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { endPersonRow, revokeKeysOf } from './person-store.ts';

export interface EndedPerson {
  /** Keys that this call revoked. */
  revokedKeys: number;
  /** Whether the person had not ended before. */
  changed: boolean;
}

/** A person leaves: every key of theirs is revoked now, and none can be made. The row stays, for what they did. */
export async function endPerson(pool: Pool, clock: Clock, id: Uuid): Promise<EndedPerson> {
  return inTransaction(pool, async (trx) => {
    const at = clock.now();
    // The person first: a key that is being made holds the row until it exists.
    const changed = await endPersonRow(trx, id, at);
    return { changed, revokedKeys: await revokeKeysOf(trx, id, at) };
  });
}
