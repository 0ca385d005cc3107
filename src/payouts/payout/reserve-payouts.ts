/** The ledger pool's job: reserves payouts, each by a command of its own, together in one commit. */

import type { RowFailure } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { RowLoads } from '../../ledger/rows/row-loads.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Payout } from './payout.ts';
import { reservePayout } from './reserve-payout.ts';

export interface ReserveRuntime {
  payouts: Pick<RowLoads<Payout>, 'load'>;
  committer: Committer;
  /** A row that fails by a bug is set aside for people; its neighbours go on. */
  payoutFailed: RowFailure;
}

export async function reservePayouts(
  runtime: ReserveRuntime,
  bookId: BookId,
  payoutIds: readonly Uuid[],
): Promise<void> {
  const found = await runtime.payouts.load(bookId, payoutIds);
  await Promise.all(
    [...found.values()].map(async (payout) => {
      if (payout.status !== 'pending' && payout.status !== 'processing') return;
      try {
        await runtime.committer.submit(bookId, reservePayout(bookId, payout));
      } catch (error) {
        await runtime.payoutFailed(bookId, payout.id, error);
      }
    }),
  );
}
