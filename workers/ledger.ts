/** Ledger pool: carries out the commands that post. Those of one book meet in this process's committer. */
import { holdExpiry } from '../src/accounts/expire-holds.ts';
import { runAdvance } from '../src/journal/advance-clock.ts';
import { keepAppointments } from '../src/journal/keep-appointments.ts';
import { RowLoads } from '../src/ledger/rows/row-loads.ts';
import { disputeVisit } from '../src/payments/disputes/visit-disputes.ts';
import { paymentExpiries } from '../src/payments/outcomes/expire-payments.ts';
import { paydayOfSandbox } from '../src/payments/settlements/keep-payday.ts';
import { shareRelease } from '../src/payments/shares/release-shares.ts';
import { payouts } from '../src/payouts/payout/payout-table.ts';
import { reservePayouts } from '../src/payouts/payout/reserve-payouts.ts';
import type { JobData } from '../src/queue/job.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';

export function ledgerPool(runtime: Runtime): PoolDefinition {
  /** Books on their way: the sweeper's jobs come on top of those that hand on, and a second one would only be in the way. */
  const advancing = new Set<string>();
  const reserving = { ...runtime, payouts: new RowLoads(runtime.pool, payouts) };
  return definePool('ledger', {
    concurrency: 50,
    // A job carries one row when it is quiet and a hundred when there is a backlog, and rows are what takes memory. Enough
    // for commits of a hundred or two, which are hardly dearer a row than larger ones (npm run bench -- memory), of a book
    // that is alone: it has half of the room.
    rowsPerJob: 8,
    jobs: {
      'payout.reserve': ({ bookId, ids }) => reservePayouts(reserving, bookId, ids),
      'hold.expire': (job) => keepAppointments(runtime, holdExpiry, job),
      'payment.expire': (job) => keepAppointments(runtime, paymentExpiries[0]!, job),
      'dispute.visit': (job) => keepAppointments(runtime, disputeVisit, job),
      'share.release': (job) => keepAppointments(runtime, shareRelease, job),
      'payday.settle': (job) => keepEach(runtime, job),
      async 'clock.advance'({ bookId }) {
        if (advancing.has(bookId)) return;
        advancing.add(bookId);
        await runAdvance(runtime, bookId).finally(() => advancing.delete(bookId));
      },
    },
  });
}

/** Paydays are taken one at a time: a command is a step of one of them. */
async function keepEach(runtime: Runtime, { bookId, ids }: JobData): Promise<void> {
  for (const id of ids) await keepAppointments(runtime, paydayOfSandbox, { bookId, ids: [id] });
}
