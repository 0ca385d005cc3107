/** Payments pool: brings operations of payments to their acquirer, and the answers back. */

import { ACQUIRER_NOTICE_KINDS } from '../src/acquirers/acquirer.ts';
import { RowLoads } from '../src/ledger/rows/row-loads.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { NoticeCopier } from '../src/outside/copy-notices.ts';
import { InboxTurns } from '../src/outside/inbox-turns.ts';
import type { OutsideCalls } from '../src/outside/job-calls.ts';
import type { Inbox } from '../src/outside/notice.ts';
import { paymentOperations } from '../src/payments/operations/payment-operation-table.ts';
import { takeAcquirerNotices } from '../src/payments/outcomes/acquirer-notices.ts';
import { inquireOperations, submitOperations } from '../src/payments/outcomes/send-operations.ts';
import { payments } from '../src/payments/payment/payment-table.ts';
import { warnSeldom } from '../src/process/seldom.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';

/** `calls` says when each acquirer is called; a job ends when its operations are in its hands. */
export function paymentsPool(runtime: Runtime, calls: OutsideCalls): PoolDefinition {
  const enqueueNotices = ({ bookId, party }: Inbox) =>
    runtime.enqueuer.enqueue(bookId, [{ pool: 'payments', job: 'acquirer.notices', id: party }]);
  const copier = new NoticeCopier({
    ...runtime,
    kinds: ACQUIRER_NOTICE_KINDS,
    party: (name) => runtime.acquirers.get(name),
    operatorBook: async (mode) => (await operatorBooks(runtime.pool))[mode],
    enqueue: (bookId, party) => enqueueNotices({ bookId, party }),
    warn: warnSeldom(runtime.log, 'notices of an acquirer not copied'),
  });
  const release = runtime.release;
  const acquirer = (name: string) => runtime.acquirers.get(name);
  const warn = warnSeldom(runtime.log, 'notices of an acquirer wait, and are attempted again');
  const notices = { ...runtime, acquirer, release, warn };
  const sending = {
    ...runtime,
    acquirer,
    calls,
    payments: new RowLoads(runtime.pool, payments),
    operations: new RowLoads(runtime.pool, paymentOperations),
  };
  const inboxes = new InboxTurns({ take: (inbox) => takeAcquirerNotices(notices, inbox), enqueue: enqueueNotices });
  return definePool('payments', {
    concurrency: 16, // but for notices, a job waits for Postgres alone: it loads its rows, and their calls are made in turn
    jobs: {
      'operation.submit': ({ bookId, ids }) => submitOperations(sending, bookId, ids),
      'operation.inquire': ({ bookId, ids }) => inquireOperations(sending, bookId, ids),
      // Of no book: the acquirer is asked. Of a book: what was copied is booked.
      'acquirer.notices': ({ bookId, ids: acquirers }) =>
        Promise.all(
          acquirers.map((name) => (bookId === '' ? copier.copy(name) : inboxes.take({ bookId, party: name }))),
        ),
    },
  });
}
