/** Rails pool: sends reserved payouts to their rail, and books the answers. */

import { openOnce } from '../src/exceptions/open-exception.ts';
import { RowLoads } from '../src/ledger/rows/row-loads.ts';
import type { OutsideCalls } from '../src/outside/calls/job-calls.ts';
import { takeRailNotices } from '../src/payouts/notices/rail-notices.ts';
import { inquirePayouts, submitPayouts } from '../src/payouts/outcomes/send-payouts.ts';
import { payouts } from '../src/payouts/payout/payout-table.ts';
import type { PoolDefinition } from '../src/queue/pool.ts';
import { RAIL_NOTICE_KINDS } from '../src/rails/rail.ts';
import { takeFromInbox } from '../src/reconciliation/runs/take-from-inbox.ts';
import type { Runtime } from '../src/runtime.ts';
import { definePartyPool } from './party-pool.ts';

/** `calls` decides when each rail is called. */
export function railsPool(runtime: Runtime, calls: OutsideCalls): PoolDefinition {
  const sending = { ...runtime, calls, payouts: new RowLoads(runtime.pool, payouts) };
  return definePartyPool(runtime, {
    name: 'rails',
    parties: [
      {
        noun: 'a rail',
        party: (name) => runtime.rails.all().find((one) => one.name === name),
        noticeJob: 'rail.notices',
        noticeKinds: RAIL_NOTICE_KINDS,
        takeNotices: (inbox, warn) => takeRailNotices({ ...runtime, warn }, inbox),
      },
    ],
    jobs: {
      'payout.submit': ({ bookId, ids }) => submitPayouts(sending, bookId, ids),
      'payout.inquire': ({ bookId, ids }) => inquirePayouts(sending, bookId, ids),
      'rail.files': ({ ids }) => Promise.all(ids.map((name) => workOnFiles(runtime, name))),
    },
  });
}

/** Makes, publishes and reads the files of a rail, and puts before people what it has found. */
async function workOnFiles(runtime: Runtime, name: string): Promise<void> {
  const { rails, committer } = runtime;
  const rail = rails.files().find((one) => one.name === name);
  // Another process has other settings.
  if (rail === undefined) return;
  try {
    await rail.work((file) => takeFromInbox(runtime, file));
  } finally {
    await rail.openFindings(({ id, kind, fileId, detail }, bookId) =>
      committer.submit(bookId, openOnce({ id, kind, resource: 'bank_file', resourceId: fileId, detail })),
    );
  }
}
