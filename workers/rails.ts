/** Rails pool: carries reserved payouts to their rail, and brings the answers back. */
import type { OutsideCalls } from '../src/outside/call-shares.ts';
import { NoticeCopier } from '../src/payouts/copy-notices.ts';
import type { Inbox } from '../src/payouts/notice-store.ts';
import { inquirePayouts, submitPayouts } from '../src/payouts/send-payouts.ts';
import { takeNotices } from '../src/payouts/take-notices.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';
import { warnSeldom } from '../src/seldom.ts';

/** Half of this pool's jobs: those of crowded inboxes last, and payouts wait for none of them. */
const INBOXES_AT_ONCE = 8;

/** `calls` says when each rail is called; a job ends when its payouts are in its hands. */
export function railsPool(runtime: Runtime, calls: OutsideCalls): PoolDefinition {
  const enqueueNotices = ({ bookId, rail }: Inbox) =>
    runtime.doorbell.ring(bookId, [{ pool: 'rails', job: 'rail.notices', id: rail }]);
  const copier = new NoticeCopier({
    ...runtime,
    enqueue: (bookId, rail) => enqueueNotices({ bookId, rail }),
    warn: warnSeldom(runtime.log, 'notices of a rail not copied'),
  });
  const notices = { ...runtime, warn: warnSeldom(runtime.log, 'notices of a rail wait, and are attempted again') };
  const sending = { ...runtime, calls };
  /** Of each inbox that is being taken: whether it was asked for again meanwhile. */
  const taking = new Map<string, boolean>();
  /** One job at a time of each inbox, and no other waits for it: jobs of a crowded one would keep all places of this pool. */
  const take = async (inbox: Inbox) => {
    const key = `${inbox.bookId} ${inbox.rail}`;
    if (taking.has(key)) {
      taking.set(key, true);
      return;
    }
    // What is due stays so, and the sweeper enqueues it again.
    if (taking.size >= INBOXES_AT_ONCE) return;
    taking.set(key, false);
    try {
      await takeNotices(notices, inbox);
    } finally {
      if (taking.get(key)) enqueueNotices(inbox);
      taking.delete(key);
    }
  };
  return definePool('rails', {
    concurrency: 16, // but for notices, a job waits for Postgres alone: it loads its payouts, and their calls are made in turn
    jobs: {
      'payout.submit': ({ bookId, ids }) => submitPayouts(sending, bookId, ids),
      'payout.inquire': ({ bookId, ids }) => inquirePayouts(sending, bookId, ids),
      // Of no book: the rail is asked. Of a book: what was copied is booked. Release 0.1.0 asks the rail at both.
      'rail.notices': ({ bookId, ids: rails }) =>
        Promise.all(rails.map((rail) => (bookId === '' ? copier.copy(rail) : take({ bookId, rail })))),
    },
  });
}
