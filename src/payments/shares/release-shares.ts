/** Releases what is due: merchant_pending → customer. A share is one row, one release and one entry. */
import { accountTouches } from '../../accounts/account/account-resource.ts';
import { expectArrival } from '../../accounts/account/tell-arrival.ts';
import { waitInClosed } from '../../exceptions/wait-in-closed.ts';
import type { Appointment } from '../../group/appointment.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import { chartAccountId } from '../../ledger/account/chart.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { announce } from '../../ledger/resources/resource.ts';
import { newId } from '../../values/ids.ts';
import { movedShares } from '../operations/moved-operations.ts';
import { releaseResource } from './release-resource.ts';
import type { PaymentShare } from './share.ts';
import { paymentShares, releases } from './share-table.ts';

export const shareRelease: Appointment = {
  name: 'shares that are released',
  rows: movedShares,
  status: 'open',
  column: 'releases_at',
  pool: 'ledger',
  job: 'share.release',
  // Opened again behind its release, it may be due at the moment at which it was.
  async place(pool, bookId, ids) {
    return [...(await paymentShares.load(pool, bookId, ids)).values()].map(({ id, releaseId }) => [id, releaseId]);
  },
  async command(pool, bookId, ids) {
    const known = [...(await paymentShares.load(pool, bookId, ids)).values()];
    return releaseShares(bookId, known);
  },
};

/** Answers with how many were released. Waiting ones, and those whose time has not come, are left as they are. */
export function releaseShares(bookId: BookId, known: readonly PaymentShare[]): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = known.map(({ id }) => id);
  const releasedBefore = new Map(known.map(({ id, releaseId }) => [id, releaseId]));
  const ofAccounts = [...new Set(known.map(({ accountId }) => accountId))];
  const currencies = [...new Set(known.map(({ currency }) => currency))];
  return {
    ...origin,
    name: 'share.release',
    touches: [
      { table: paymentShares, ids },
      {
        table: accounts,
        ids: [...ofAccounts, ...currencies.map((currency) => chartAccountId(bookId, 'merchant_pending', currency))],
      },
      ...known.flatMap(({ accountId, currency }) => accountTouches({ accountId, currency })),
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let released = 0;
      for (const id of draft.each(ids)) {
        const share = draft.get(paymentShares, id);
        if (share?.kind !== 'ready' || share.status !== 'open' || share.releasesAt! > moment.book) continue;
        // Another `releaseId` than was read: an attempt of this command whose answer was lost has released the share, and captures
        // have opened it again since. A second release would have the ids of the first: the next command makes it.
        if (share.amount > 0n && share.releaseId !== releasedBefore.get(id)) continue;
        releaseShare(draft, share);
        released++;
      }
      return draft.finish(released);
    },
  };
}

/** open → released. An empty one, whose money was refunded, releases nothing. */
export function releaseShare(draft: Draft, share: PaymentShare): void {
  const { accountId, amount, currency } = share;
  const done = { ...share, status: 'released' as const, amount: 0n, version: share.version + 1, dueAt: null };
  if (amount === 0n) {
    draft.put(paymentShares, share.id, { ...done, updatedAt: draft.moment.book });
    return;
  }
  const id = draft.mintId();
  const announceArrival = expectArrival(draft, accountId);
  const entry = draft.post({
    resource: 'release',
    resourceId: id,
    step: 'released',
    creditClosed: waitInClosed(draft, {
      kind: 'release_to_closed_account',
      resource: 'release',
      resourceId: id,
      detail:
        'Money of payments was released to an account that is closed. It was booked there and waits for a person.',
    }),
    allowFrozen: true,
    postings: [{ debit: draft.chart('merchant_pending', currency).id, credit: accountId, amount }],
  });
  draft.put(paymentShares, share.id, { ...done, releaseId: id, updatedAt: draft.moment.book });
  const release = {
    id,
    shareId: share.id,
    round: share.round,
    accountId,
    amount,
    currency,
    entryId: entry.id,
    version: 1,
    createdAt: draft.moment.book,
    updatedAt: draft.moment.book,
  };
  draft.put(releases, id, release);
  announce(draft, releaseResource, release, { event: 'release.created', entries: [entry] });
  announceArrival(entry);
}
