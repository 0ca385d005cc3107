/** The ledger pool's job: reserves payouts, each by a command of its own, together in one commit. */

import type { Pool } from '../../db/pool.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { RowLoads } from '../../ledger/rows/row-loads.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { isPaused } from '../pauses/pause.ts';
import { markPaused } from '../pauses/pause-store.ts';
import type { RecentPauses } from '../pauses/recent-pauses.ts';
import { movedPayouts } from './moved-payouts.ts';
import type { Payout } from './payout.ts';
import type { RecentSingles } from './recent-singles.ts';
import { reservePayout } from './reserve-payout.ts';

export interface ReserveRuntime {
  payouts: Pick<RowLoads<Payout>, 'load'>;
  committer: Committer;
  rowFailed: RowFailed;
  pool: Pool;
  clock: Clock;
  pauses: Pick<RecentPauses, 'read' | 'readAgain'>;
  singles: Pick<RecentSingles, 'note'>;
}

export async function reservePayouts(
  runtime: ReserveRuntime,
  bookId: BookId,
  payoutIds: readonly Uuid[],
): Promise<void> {
  const found = await runtime.payouts.load(bookId, payoutIds);
  runtime.singles.note(bookId, found.values());
  const keptBack = await markKeptBack(runtime, bookId, found);
  await Promise.all(
    [...found.values()].map(async (payout) => {
      if (keptBack?.includes(payout)) return;
      if (payout.status !== 'pending' && payout.status !== 'processing') return;
      try {
        await runtime.committer.submit(bookId, reservePayout(bookId, payout));
      } catch (error) {
        await runtime.rowFailed(movedPayouts, { bookId, id: payout.id }, error);
      }
    }),
  );
}

/** Those that an operator keeps back: they stay due, and are marked. Undefined while nothing is paused, as nearly always. */
async function markKeptBack(
  { pauses, pool, clock }: ReserveRuntime,
  bookId: BookId,
  found: ReadonlyMap<Uuid, Payout>,
): Promise<readonly Payout[] | undefined> {
  if ((await pauses.read()).length === 0) return undefined;
  const inForce = await pauses.readAgain();
  const keptBack = [...found.values()].filter(
    ({ status, rail }) => status === 'pending' && isPaused(inForce, { bookId, rail }),
  );
  if (keptBack.length > 0) await markPaused(pool, bookId, { ids: keptBack.map(({ id }) => id), now: clock.now() });
  return keptBack;
}
