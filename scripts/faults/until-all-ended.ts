/** Waits after a fault until everything promised has ended: records are compared only when none of them moves any more. */
import type { Pool } from '../../src/db/pool.ts';
import { until } from '../harness/client.ts';
import { countUnderWay, hurryDeliveries, makeRowsDue } from '../harness/database-store.ts';
import { bringReleaseDay, forgetSchedules } from './payment-records-store.ts';

/**
 * Rows left behind by a fault move once they are due. Half a minute each is too long to wait, so they are made due this
 * often.
 */
const MAKE_DUE_EVERY_MS = 500;

/** Throws the kinds that are still under way when the limit has passed. A row that is stuck never ends. */
export async function untilAllEnded(behind: Pool, { limitMs }: { limitMs: number }): Promise<void> {
  let makeDueAt = 0;
  await until(
    async () => {
      if (performance.now() > makeDueAt) {
        makeDueAt = performance.now() + MAKE_DUE_EVERY_MS;
        await makeRowsDue(behind);
        await hurryDeliveries(behind);
        await bringReleaseDay(behind);
      }
      return countUnderWay(behind);
    },
    (underWay) => Object.values(underWay).every((rows) => rows === 0n),
    { timeoutMs: limitMs },
  );
  await forgetSchedules(behind);
}
