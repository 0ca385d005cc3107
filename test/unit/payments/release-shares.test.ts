import { expect, test } from 'vitest';
import { openAccount } from '../../../src/accounts/account/open-account.ts';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import type { Stored } from '../../../src/idempotency/idempotency-key.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { chartAccountId, newAccount } from '../../../src/ledger/account/chart.ts';
import { releaseShares } from '../../../src/payments/shares/release-shares.ts';
import { type PaymentShare, shareId } from '../../../src/payments/shares/share.ts';
import { paymentShares, releases } from '../../../src/payments/shares/share-table.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { MemoryBook, START } from '../../support/memory-book.ts';

const DAY_MS = 24 * 60 * 60_000;

function open(): { book: MemoryBook; accountId: Uuid } {
  const book = new MemoryBook();
  const opened = book.answer(
    openAccount({
      currency: 'EUR',
      name: 'Shop',
      overdraftLimit: 0n,
      externalId: null,
      metadata: {},
      requestId: newId(),
      actor: 'test',
    }),
  );
  const pending = newAccount(chartAccountId(book.book.id, 'merchant_pending', 'EUR'), 'merchant_pending', 'EUR');
  book.put(accounts, pending.id, { ...pending, postedCredits: 1_000n });
  return { book, accountId: (opened as Stored).resourceId! };
}

function shareIn(book: MemoryBook, accountId: string, days: number): PaymentShare {
  const releasesAt = START + days * DAY_MS;
  const availableOn = new Date(releasesAt).toISOString().slice(0, 10);
  const key = { accountId, currency: 'EUR', availableOn, kind: 'ready' as const, isReserve: false };
  const share: PaymentShare = {
    ...{
      id: shareId(book.book.id, key),
      ...key,
      status: 'open',
      releasesAt,
      amount: 100n,
      lent: 0n,
      round: 1,
      releaseId: null,
      version: 1,
    },
    ...{ dueAt: releasesAt, createdAt: START, updatedAt: START },
  };
  return book.put(paymentShares, share.id, share);
}

test('a release that is repeated after a lost answer, with another share due since, releases each under an id of its own', () => {
  const { book, accountId } = open();
  const shares = [shareIn(book, accountId, 1), shareIn(book, accountId, 2)];
  const command = releaseShares(book.book.id, shares);
  book.now = START + DAY_MS;
  expect(book.answer(command)).toBe(1);
  book.now = START + 2 * DAY_MS;
  expect(book.answer(command)).toBe(1);
  expect([...book.rows(releases).values()].map(({ shareId: of }) => of)).toEqual(shares.map(({ id }) => id));
});

test('a release that is repeated after a lost answer leaves a share that has opened again since to the next one', () => {
  const { book, accountId } = open();
  const share = shareIn(book, accountId, 1);
  const command = releaseShares(book.book.id, [share]);
  book.now = START + DAY_MS;
  expect(book.answer(command)).toBe(1);
  const opened = { ...book.get(paymentShares, share.id), status: 'open' as const, amount: 50n };
  book.put(paymentShares, share.id, opened);
  expect(book.answer(command)).toBe(0);
  expect(book.answer(releaseShares(book.book.id, [opened]))).toBe(1);
  expect([...book.rows(releases).values()].map(({ amount }) => amount)).toEqual([100n, 50n]);
});

test('a release to an account that was closed since waits for a person, under ids of its own however often it is repeated', () => {
  const { book, accountId } = open();
  const shares = [shareIn(book, accountId, 1), shareIn(book, accountId, 2)];
  book.put(accounts, accountId, { ...book.get(accounts, accountId), status: 'closed' as const });
  const command = releaseShares(book.book.id, shares);
  book.now = START + DAY_MS;
  expect(book.answer(command)).toBe(1);
  book.now = START + 2 * DAY_MS;
  expect(book.answer(command)).toBe(1);
  const opened = [...book.rows(exceptions).values()];
  expect(opened).toMatchObject(
    [...book.rows(releases).keys()].map((resourceId) => ({
      ...{ kind: 'release_to_closed_account', resource: 'release', resourceId },
      waiting: { accountId, amount: 100n, currency: 'EUR' },
    })),
  );
  expect(new Set(book.events.map(({ id }) => id)).size).toBe(book.events.length);
});
