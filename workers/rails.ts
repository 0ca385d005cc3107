/** Rails pool: carries reserved payouts to their rail, and brings the answers back. */

import { RowLoads } from '../src/ledger/rows/row-loads.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { NoticeCopier } from '../src/outside/copy-notices.ts';
import { InboxTurns } from '../src/outside/inbox-turns.ts';
import type { OutsideCalls } from '../src/outside/job-calls.ts';
import type { Inbox } from '../src/outside/notice.ts';
import { takeRailNotices } from '../src/payouts/notices/rail-notices.ts';
import { inquirePayouts, submitPayouts } from '../src/payouts/outcomes/send-payouts.ts';
import { payouts } from '../src/payouts/payout/payout-table.ts';
import { warnSeldom } from '../src/process/seldom.ts';
import { definePool, type PoolDefinition } from '../src/queue/pool.ts';
import { RAIL_NOTICE_KINDS } from '../src/rails/rail.ts';
import type { Runtime } from '../src/runtime.ts';

/** `calls` says when each rail is called; a job ends when its payouts are in its hands. */
export function railsPool(runtime: Runtime, calls: OutsideCalls): PoolDefinition {
  const enqueueNotices = ({ bookId, party }: Inbox) =>
    runtime.enqueuer.enqueue(bookId, [{ pool: 'rails', job: 'rail.notices', id: party }]);
  const copier = new NoticeCopier({
    ...runtime,
    kinds: RAIL_NOTICE_KINDS,
    party: (name) => runtime.rail(name),
    operatorBook: async (mode) => (await operatorBooks(runtime.pool))[mode],
    enqueue: (bookId, party) => enqueueNotices({ bookId, party }),
    warn: warnSeldom(runtime.log, 'notices of a rail not copied'),
  });
  const notices = { ...runtime, warn: warnSeldom(runtime.log, 'notices of a rail wait, and are attempted again') };
  const sending = { ...runtime, calls, payouts: new RowLoads(runtime.pool, payouts) };
  const inboxes = new InboxTurns({ take: (inbox) => takeRailNotices(notices, inbox), enqueue: enqueueNotices });
  return definePool('rails', {
    concurrency: 16, // but for notices, a job waits for Postgres alone: it loads its payouts, and their calls are made in turn
    jobs: {
      'payout.submit': ({ bookId, ids }) => submitPayouts(sending, bookId, ids),
      'payout.inquire': ({ bookId, ids }) => inquirePayouts(sending, bookId, ids),
      // Of no book: the rail is asked. Of a book: what was copied is booked. Release 0.1.0 asks the rail at both.
      'rail.notices': ({ bookId, ids: rails }) =>
        Promise.all(rails.map((rail) => (bookId === '' ? copier.copy(rail) : inboxes.take({ bookId, party: rail })))),
    },
  });
}
