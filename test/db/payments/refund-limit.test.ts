/** How many refunds a payment has at most: verify reads them all. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REFUNDS_MAX } from '../../../src/payments/payment.ts';
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
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

test('a payment with as many refunds as it may have is not refunded again, and one with one less is', async () => {
  const payment = await money.captured(await book.account(), 10_000n);
  const first = await money.refunding(payment, 1n);
  // Copies of the first: only their number counts here.
  await book.rows(
    `INSERT INTO payment_operations
     SELECT made.* FROM payment_operations o CROSS JOIN generate_series(1, $3) AS n CROSS JOIN LATERAL jsonb_populate_record(
       o, jsonb_build_object('id', gen_random_uuid(), 'reference', 'COPY' || n, 'status', 'failed', 'entry_ids', '[]'::jsonb)
     ) AS made WHERE o.book_id = $1 AND o.id = $2`,
    first.id,
    REFUNDS_MAX - 2,
  );
  await money.refunding(payment, 1n);
  expect(await money.refund(payment, 1n)).toMatchObject({
    refused: 'limit_exceeded',
    facts: { limit: BigInt(REFUNDS_MAX) },
  });
});
