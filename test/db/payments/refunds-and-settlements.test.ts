/** Refunds of payments whose captures are settled meanwhile: what waited in one share is in another, or with the customer. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isPassing } from '../../../src/db/postgres-errors.ts';
import { GROUPS } from '../../../src/groups.ts';
import type { Uuid } from '../../../src/ids.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { settleAll } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  money = new MoneyBack(book);
  accountId = await book.account();
});
afterEach(async () => {
  const found: object[] = [];
  await verifyDatabase(book.pool, { groups: GROUPS, bookId: book.id, onFinding: (finding) => found.push(finding) });
  expect(found).toEqual([]);
  await book.close();
});
afterAll(async () => {
  await database?.drop();
});

const WAITING = { days: 3, onceSettled: true };

test('a refund that read before its capture was settled is refused for now, and finds the money the next time', async () => {
  const payment = await money.captured(accountId, 10_000n, WAITING);
  const early = await money.refundCommand(payment, 4_000n);
  await settleAll(book);
  const error = await book.submit(early).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'service_unavailable' });
  expect(isPassing(error)).toBe(true);
  expect(await money.refunding(payment, 4_000n)).toMatchObject({ portions: [{ amount: 3_900n }] });
});

test('a dispute takes what the payment earned, wherever it has moved', async () => {
  const payment = await money.captured(accountId, 10_000n, WAITING);
  const early = await money.disputeCommand(payment, { kind: 'dispute_chargeback', amount: 4_000n });
  await settleAll(book);
  await expect(book.submit(early)).rejects.toMatchObject({ code: 'service_unavailable' });
  const { dispute } = await money.dispute(payment, { kind: 'dispute_chargeback', amount: 4_000n });
  expect(dispute!.portions).toMatchObject([{ amount: 4_000n }]);
  expect(dispute!.portions[0]!.shareId).not.toBeNull();
});
