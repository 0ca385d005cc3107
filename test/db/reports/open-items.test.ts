/** Open items of payments: what acquirers owe and what waits for its release, by payment and share, up to any entry. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FigureContradicted, type Row } from '../../../src/reports/figures/figures.ts';
import { publicId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { readOpenItems } from '../../support/open-items.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let reports: Reports;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  money = new MoneyBack(book);
  reports = new Reports(book);
  return () => book.close();
});
afterAll(async () => {
  await database?.drop();
});

const itemsAt = (sequence?: bigint) => readOpenItems(book.pool, book.id, sequence);

const amounts = (rows: readonly Row[], code: string) =>
  rows.filter((row) => row.code === code).map(({ resource_id: id, amount }) => [id, amount]);

test('what an acquirer owes is shown by payment until it is settled, less what went back', async () => {
  const account = await book.account();
  const first = await money.captured(account, 10_000n);
  const second = await money.captured(account, 5_000n);
  const payment = ({ id }: typeof first) => publicId('payment', id);
  expect(amounts(await itemsAt(), 'acquirer')).toEqual([
    [payment(first), 10_000n],
    [payment(second), 5_000n],
  ]);
  await money.dispute(second, { kind: 'dispute_chargeback', amount: 2_000n, reference: 'D1' });
  expect(amounts(await itemsAt(), 'acquirer')).toContainEqual([payment(second), 3_000n]);
  await reports.settle([
    reports.lineOf(first.authorization, { type: 'capture', gross: 10_000n, cost: 0n }),
    reports.lineOf(second.authorization, { type: 'dispute', gross: -2_000n, cost: 0n }),
  ]);
  expect(amounts(await itemsAt(), 'acquirer')).toEqual([[payment(second), 5_000n]]);
  const shares = amounts(await itemsAt(), 'merchant_pending');
  expect(shares.length).toBeGreaterThan(0);
  expect(new Set(shares.map(([id]) => id))).toEqual(new Set([publicId('account', account)]));
  await money.dispute(second, { kind: 'dispute_won', reference: 'D1' });
  expect(amounts(await itemsAt(), 'acquirer')).toEqual([[payment(second), 7_000n]]);
  const refund = await money.refunding(first, 1_000n);
  await money.say(refund, { status: 'succeeded' });
  expect(amounts(await itemsAt(), 'acquirer')).toContainEqual([payment(first), -1_000n]);
  await money.release(account);
  expect(amounts(await itemsAt(), 'merchant_pending')).toEqual([]);
  const { head } = await book.row<{ head: bigint }>('SELECT entry_sequence AS head FROM books WHERE id = $1');
  for (let sequence = 0n; sequence <= head; sequence++) await itemsAt(sequence);
  expect(await findingsOf(book)).toEqual([]);
});

test('a line of a share that its entries do not have fails the report', async () => {
  await money.captured(await book.account(), 10_000n);
  const { amount } = (await itemsAt()).find(({ code }) => code === 'merchant_pending')!;
  expect(amount).toBeGreaterThan(0n);
  await book.pool.query(
    `INSERT INTO payment_share_lines (book_id, id, share_id, payment_id, operation_id, round, amount, created_at)
     SELECT book_id, gen_random_uuid(), share_id, payment_id, operation_id, round, 1, created_at FROM payment_share_lines WHERE book_id = $1 LIMIT 1`,
    [book.id],
  );
  await expect(itemsAt()).rejects.toThrow(FigureContradicted);
});
