/** What an acquirer's answers do to rows of payments, and how shares of a day are released. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { listShareLines } from '../../../src/payments/shares/balance-store.ts';
import { releaseShares } from '../../../src/payments/shares/release-shares.ts';
import { listReleases } from '../../../src/payments/shares/release-store.ts';
import type { PaymentShare } from '../../../src/payments/shares/share.ts';
import { paymentShares } from '../../../src/payments/shares/share-table.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { acceptOne, say } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
});
afterAll(async () => {
  await book.close();
  await database.drop();
});

test('a challenge that is asked about before it is over keeps its time', async () => {
  const accepted = await acceptOne(book, { accountId: await book.account() });
  const expiresAt = Date.now() + 15 * 60_000;
  const challenged = { status: 'requires_action', challenge: { url: 'https://bank.example/1', expiresAt } } as const;
  await say(book, accepted, challenged);
  // The sweeper, or a repeated job, asks again: each answer is another one.
  const asked = await say(book, accepted, { ...challenged, call: 'inquire', raw: { id: newId() } });
  expect(asked).toMatchObject({ status: 'requires_action', outcome: null, nextInquiryAt: expiresAt, dueAt: expiresAt });
  expect(await payments.find(book.pool, book.id, accepted.payment.id)).toMatchObject({
    status: 'requires_action',
    nextInquiryAt: null,
  });
});

test('a challenge that its acquirer does not end is asked about again later', async () => {
  const accepted = await acceptOne(book, { accountId: await book.account() });
  const expiresAt = Date.now() - 1;
  const challenged = { status: 'requires_action', challenge: { url: 'https://bank.example/2', expiresAt } } as const;
  await say(book, accepted, challenged);
  const asked = await say(book, accepted, { ...challenged, call: 'inquire', raw: { id: newId() } });
  expect(asked.nextInquiryAt).toBeGreaterThan(expiresAt);
  expect(await paymentOperations.find(book.pool, book.id, asked.id)).toMatchObject({ dueAt: asked.nextInquiryAt });
});

test('a share opens again for what is captured after its release, by a clock that is behind', async () => {
  const accountId = await book.account();
  const release = { days: 0, onceSettled: false };
  const capture = async (amount: bigint) => {
    const accepted = await acceptOne(book, { accountId, amount });
    await say(book, { ...accepted, release }, { raw: { id: newId() } });
  };
  const shareOfToday = async (): Promise<PaymentShare> => {
    const { id } = await book.row<{ id: string }>(
      'SELECT id FROM payment_shares WHERE book_id = $1 AND account_id = $2',
      accountId,
    );
    return (await paymentShares.find(book.pool, book.id, id))!;
  };
  const releaseAll = async () => book.submit(releaseShares(book.id, [await shareOfToday()]));
  await capture(20_000n);
  expect(await releaseAll()).toBe(1);
  expect(await shareOfToday()).toMatchObject({ status: 'released', amount: 0n, dueAt: null });
  await capture(10_000n);
  const again = await shareOfToday();
  expect(again).toMatchObject({ status: 'open', dueAt: again.releasesAt });
  expect(await releaseAll()).toBe(1);
  const { count, sum } = await book.row<{ count: bigint; sum: bigint }>(
    'SELECT count(*), sum(amount)::bigint AS sum FROM payment_releases WHERE book_id = $1 AND account_id = $2',
    accountId,
  );
  // What was captured, less the fees of 2.5 % and 10 each.
  expect({ count, sum }).toEqual({ count: 2n, sum: 30_000n - 510n - 260n });
  // Each release lists its own lines.
  const { rows: made } = await listReleases(book.pool, book.id, { accountId }, { limit: 10 });
  const listed = await Promise.all(
    made.map(async ({ shareId, round, amount }) => {
      const of = { share_id: shareId, round };
      const { rows } = await listShareLines(book.pool, { bookId: book.id, of }, { limit: 10 });
      return [amount, rows.map((line) => line.amount)];
    }),
  );
  expect(listed).toEqual([
    [9_740n, [9_740n]],
    [19_490n, [19_490n]],
  ]);
});
