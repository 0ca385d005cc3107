/** Releases scheduled batches at their time, in the book's own time. Without funds a batch fails, and no payout is made. */
import type { Appointment } from '../../group/appointment.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId } from '../../values/ids.ts';
import { PAYING_ACCOUNTS_MAX, type PayoutBatch } from './batch.ts';
import { payoutBatchResource } from './batch-resource.ts';
import { payoutBatches } from './batch-table.ts';
import { movedBatches } from './moved-batches.ts';
import { batchTouches, releaseOf } from './release-batch.ts';

export const batchRelease: Appointment = {
  name: 'batches of payouts that are scheduled',
  rows: movedBatches,
  status: 'scheduled',
  column: 'scheduled_for',
  pool: 'ledger',
  job: 'payout_batch.release',
  isUnderWay: async (pool, bookId, ids) =>
    [...(await payoutBatches.load(pool, bookId, ids)).values()].some(({ status }) => status === 'processing'),
  async command(pool, bookId, ids) {
    const known = await payoutBatches.load(pool, bookId, ids);
    return releaseBatches([...known.values()].slice(0, PER_COMMAND));
  },
};

/** Each touches an account and a hold for each paying: as many as one command may touch. */
const PER_COMMAND = Math.floor(900 / (2 * PAYING_ACCOUNTS_MAX + 3));

/** Answers with how many were released or failed. */
export function releaseBatches(known: readonly PayoutBatch[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  return {
    ...origin,
    name: 'payout_batch.release',
    touches: known.flatMap((batch) => batchTouches(batch)),
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let released = 0;
      for (const { id } of draft.each(known)) {
        const batch = draft.get(payoutBatches, id);
        if (batch?.status !== 'scheduled' || batch.scheduledFor! > moment.book) continue;
        release(draft, batch);
        released++;
      }
      return draft.finish(released);
    },
  };
}

function release(draft: Draft, batch: PayoutBatch): void {
  const next = releaseOf(draft, batch);
  if ('refused' in next) draft.enqueue({ pool: 'ledger', job: 'payout_batch.make', id: batch.id });
  const change = 'refused' in next ? ({ status: 'failed', last: 0, dueAt: null } as const) : next;
  advance(draft, payoutBatchResource, batch, change, { event: `payout_batch.${change.status!}` });
}
