/** What becomes of a row that a worker could not move. */
import type { Pool } from '../db/pool.ts';
import type { RowFailed } from '../group/moved-rows.ts';
import { passesOutside } from '../outside/party/passes.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import type { Clock } from '../values/clock.ts';
import { markStuck } from './stuck-store.ts';

export function createRowFailed({ pool, clock, log }: { pool: Pool; clock: Clock; log: Logger }): RowFailed {
  const warn = warnSeldom(log, 'rows not moved; they are attempted again');
  return async (rows, { bookId, id }, error) => {
    try {
      if (passesOutside(error)) throw error;
      log.error({ err: error, kind: rows.kind, row: rows.shownId(id) }, 'row stuck');
      await markStuck(pool, rows, { bookId, id, error, at: clock.now() });
      return true;
    } catch (failure) {
      warn(failure);
      return false;
    }
  };
}
