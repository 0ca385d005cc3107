/** Ledger pool: carries out the commands that post. Those of one book meet in this process's committer. */
import { holdExpiry } from '../src/accounts/holds/expire-holds.ts';
import { statementMaking } from '../src/accounts/statements/make-statements.ts';
import { auditRange } from '../src/audit/audit-range.ts';
import { takeCredits } from '../src/inbound/credits/take-credits.ts';
import { runAdvance } from '../src/journal/advance-clock.ts';
import { keepAppointments } from '../src/journal/keep-appointments.ts';
import { endCloses, type VerifiedRange } from '../src/journal/periods/end-close.ts';
import { RowLoads } from '../src/ledger/rows/row-loads.ts';
import { disputeVisit } from '../src/payments/disputes/visit-disputes.ts';
import { paymentExpiries } from '../src/payments/outcomes/expire-payments.ts';
import { paydayOfSandbox } from '../src/payments/settlements/keep-payday.ts';
import { shareRelease } from '../src/payments/shares/release-shares.ts';
import { BatchPayer } from '../src/payouts/batches/pay-batches.ts';
import { batchRelease } from '../src/payouts/batches/release-scheduled.ts';
import { payouts } from '../src/payouts/payout/payout-table.ts';
import { RecentSingles } from '../src/payouts/payout/recent-singles.ts';
import { payoutRelease } from '../src/payouts/payout/release-payouts.ts';
import { reservePayouts } from '../src/payouts/payout/reserve-payouts.ts';
import type { JobData } from '../src/queue/job.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import { beginFeeDays } from '../src/reconciliation/fees/begin-fee-days.ts';
import { feesOfDays } from '../src/reconciliation/fees/collect-fees.ts';
import { moveMatches } from '../src/reconciliation/matches/sweep-moving.ts';
import { mirrorBooks } from '../src/reconciliation/mirror/mirror-books.ts';
import { closeBeforeOpenings } from '../src/reconciliation/openings/close-before.ts';
import { postReports } from '../src/reconciliation/reports/post-received.ts';
import { postReleased } from '../src/reconciliation/runs/post-released.ts';
import type { Runtime } from '../src/runtime.ts';
import { purchaseExpiries } from '../src/transactions/expiry/expire-purchases.ts';

export function ledgerPool(runtime: Runtime): PoolDefinition {
  /** Books whose clock advances here: the sweeper enqueues further jobs of them, and a second job would only be in the way. */
  const advancing = new Set<string>();
  /** The same of books whose days are being closed. */
  const closing = new Set<string>();
  const ending = {
    ...runtime,
    leftOpen: runtime.groups.flatMap(({ leftOpen = [] }) => leftOpen),
    verify: (range: VerifiedRange) => auditRange(runtime.pool, { ...range, groups: runtime.groups }),
  };
  const singles = new RecentSingles();
  const reserving = { ...runtime, singles, payouts: new RowLoads(runtime.pool, payouts) };
  const batches = new BatchPayer({ ...runtime, singles });
  return definePool('ledger', {
    concurrency: 50,
    // A job has one row on a quiet day and a hundred in a backlog, and rows take the memory. Enough for commits of a
    // hundred or two, which cost hardly more a row than larger ones (npm run bench -- memory), of a book that is alone:
    // it has half of the room.
    rowsPerJob: 8,
    jobs: {
      'payout.reserve': ({ bookId, ids }) => reservePayouts(reserving, bookId, ids),
      'payout.release': (job) => keepAppointments(runtime, payoutRelease, job),
      'payout_batch.release': (job) => keepAppointments(runtime, batchRelease, job),
      'payout_batch.make': ({ bookId, ids }) => batches.pay(bookId, ids),
      'hold.expire': (job) => keepAppointments(runtime, holdExpiry, job),
      'payment.expire': (job) => keepAppointments(runtime, paymentExpiries[0]!, job),
      'transaction.expire': (job) => keepAppointments(runtime, purchaseExpiries[0]!, job),
      'dispute.visit': (job) => keepAppointments(runtime, disputeVisit, job),
      'share.release': (job) => keepAppointments(runtime, shareRelease, job),
      'payday.settle': (job) => keepEach(runtime, job),
      async 'clock.advance'({ bookId }) {
        if (advancing.has(bookId)) return;
        advancing.add(bookId);
        await runAdvance(runtime, bookId).finally(() => advancing.delete(bookId));
      },
      'statement.make': (job) => keepAppointments(runtime, statementMaking, job),
      'credit.take': ({ bookId, ids }) => takeCredits(runtime, bookId, ids),
      'book.mirror': ({ bookId, ids }) => mirrorBooks(runtime, bookId, ids),
      'bank_statement.post': ({ bookId, ids }) => postReleased(runtime, bookId, ids),
      'bank_match.move': ({ bookId, ids }) => moveMatches(runtime, bookId, ids),
      async 'acquirer_report.post'({ bookId, ids }) {
        await postReports(runtime, bookId, ids);
      },
      async 'opening.close'({ bookId, ids }) {
        await closeBeforeOpenings(runtime, bookId, ids);
      },
      'fee.begin': ({ bookId, ids }) => beginFeeDays(runtime, bookId, ids),
      'fee.collect': (job) => keepAppointments(runtime, feesOfDays, job),
      async 'period.close'({ bookId, ids }) {
        if (closing.has(bookId)) return;
        closing.add(bookId);
        await endCloses(ending, bookId, ids).finally(() => closing.delete(bookId));
      },
    },
  });
}

/** Paydays are processed one at a time: a command is a step of one of them. */
async function keepEach(runtime: Runtime, { bookId, ids }: JobData): Promise<void> {
  for (const id of ids) await keepAppointments(runtime, paydayOfSandbox, { bookId, ids: [id] });
}
