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

/** A person leaves: every key of theirs is revoked now, and no key can be made. The row stays, because events name the person. */
export async function endPerson(pool: Pool, clock: Clock, id: Uuid): Promise<EndedPerson> {
  return inTransaction(pool, async (trx) => {
    const at = clock.now();
    // The person first: a transaction that makes a key locks the row until the key exists.
    const changed = await endPersonRow(trx, id, at);
    return { changed, revokedKeys: await revokeKeysOf(trx, id, at) };
  });
}
