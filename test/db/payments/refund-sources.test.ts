/** Where a refund finds its money, while what it read moves on. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SHARES_MAX } from '../../../src/payments/refunds/funding-store.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
  money = new MoneyBack(book);
});
afterEach(async () => {
  expect(await money.differences()).toEqual([]);
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

test('shares that are empty do not hide the one that holds the money', async () => {
  const accountId = await book.account();
  const payment = await money.captured(accountId, 10_000n);
  await money.release(accountId);
  const balance = await money.balance(accountId);
  await book.accept({ accountId, amount: balance, fee: 0n });
  await money.captured(accountId, 10_000n, { days: 1, onceSettled: true });
  // More than are read, all of them to be released later.
  await book.rows(
    `INSERT INTO payment_shares (book_id, id, account_id, currency, kind, status, available_on, amount, lent, round, version, created_at, updated_at)
     SELECT $1, gen_random_uuid(), $2, 'EUR', 'waiting', 'open', '2999-01-01', 0, 0, 0, 1, now(), now() FROM generate_series(1, ${SHARES_MAX + 1})`,
    accountId,
  );
  const refund = await money.refunding(payment, 4_000n);
  expect(refund.portions).toMatchObject([{ amount: 3_900n }]);
});
