/** Accounts as a process remembers them: known for a minute, and read anew where what is remembered does not do. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account } from '../../../src/ledger/account/account.ts';
import { RecentAccounts } from '../../../src/ledger/account/recent-accounts.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl });
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const isOpen = (account: Account | undefined) => account?.status === 'open';
const setStatus = (id: string, status: string) =>
  book.rows('UPDATE accounts SET status = $3 WHERE book_id = $1 AND id = $2', id, status);

test('an account is read once a minute while it is fit, and each time while it is not', async () => {
  const clock = { now: 0 };
  const recent = new RecentAccounts(book.pool, { now: () => clock.now });
  const id = await book.account();
  expect(await recent.isFit(book.id, id, isOpen)).toBe(true);
  await setStatus(id, 'frozen');
  clock.now = 59_999;
  expect(await recent.isFit(book.id, id, isOpen)).toBe(true);
  clock.now = 60_000;
  expect(await recent.isFit(book.id, id, isOpen)).toBe(false);
  await setStatus(id, 'open');
  // Refused a moment ago, and taken now.
  expect(await recent.isFit(book.id, id, isOpen)).toBe(true);
});

test('an account of another book, or that is not there, is none', async () => {
  const recent = new RecentAccounts(book.pool);
  const id = await book.account();
  expect(await recent.isFit(book.id, id, isOpen)).toBe(true);
  expect(await recent.isFit(newId() as typeof book.id, id, isOpen)).toBe(false);
  expect(await recent.isFit(book.id, newId(), isOpen)).toBe(false);
});
