/** Rails pool: carries reserved payouts to their rail, and brings the answers back. */
import type { OutsideCalls } from '../src/outside/call-shares.ts';
import { NoticeCopier } from '../src/outside/copy-notices.ts';
import { InboxTurns } from '../src/outside/inbox-turns.ts';
import type { Inbox } from '../src/outside/notice-store.ts';
import { inquirePayouts, submitPayouts } from '../src/payouts/send-payouts.ts';
import { takeNotices } from '../src/outside/take-notices.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { warnSeldom } from '../src/seldom.ts';

/** `calls` says when each rail is called; a job ends when its payouts are in its hands. */
export function railsPool(runtime: Runtime, calls: OutsideCalls): PoolDefinition {
  const enqueueNotices = ({ bookId, rail }: Inbox) =>
    runtime.enqueuer.enqueue(bookId, [{ pool: 'rails', job: 'rail.notices', id: rail }]);
  const copier = new NoticeCopier({
    ...runtime,
    enqueue: (bookId, rail) => enqueueNotices({ bookId, rail }),
    warn: warnSeldom(runtime.log, 'notices of a rail not copied'),
  });
  const notices = { ...runtime, warn: warnSeldom(runtime.log, 'notices of a rail wait, and are attempted again') };
  const sending = { ...runtime, calls };
  const inboxes = new InboxTurns({ take: (inbox) => takeNotices(notices, inbox), enqueue: enqueueNotices });
  return definePool('rails', {
    concurrency: 16, // but for notices, a job waits for Postgres alone: it loads its payouts, and their calls are made in turn
    jobs: {
      'payout.submit': ({ bookId, ids }) => submitPayouts(sending, bookId, ids),
      'payout.inquire': ({ bookId, ids }) => inquirePayouts(sending, bookId, ids),
      // Of no book: the rail is asked. Of a book: what was copied is booked. Release 0.1.0 asks the rail at both.
      'rail.notices': ({ bookId, ids: rails }) =>
        Promise.all(rails.map((rail) => (bookId === '' ? copier.copy(rail) : inboxes.take({ bookId, rail })))),
    },
  });
}
