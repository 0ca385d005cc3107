/** How many refunds a payment has at most, since verify reads them all, and how much may be captured in all. */

import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { RESERVE_TOTAL } from '../../../src/ledger/command/lifetime-total.ts';
import { capturePayment } from '../../../src/payments/actions/act-on-payment.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { REFUNDS_MAX } from '../../../src/payments/payment/payment.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { acceptOne, say } from '../../support/payments.ts';
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
  // At once: all but one of them are decided before any of them is written.
  const commands = await Promise.all([1, 2, 3, 4, 5].map(() => money.refundCommand(payment, 1n)));
  const answers = await Promise.all(commands.map((command) => book.submit(command)));
  expect(answers.filter((answer) => 'resourceId' in answer)).toHaveLength(1);
  const refused = { refused: 'limit_exceeded', facts: { limit: BigInt(REFUNDS_MAX) } };
  expect(answers.filter((answer) => 'refused' in answer)).toMatchObject(Array(4).fill(refused));
  expect(await money.refund(payment, 1n)).toMatchObject(refused);
});

test('an authorization has no part in the totals: its captures are refused where one would not be booked', async () => {
  const accepted = await acceptOne(book, { accountId: await book.account(), amount: 20_000n, manual: true });
  await say(book, accepted, {});
  const payment = (await payments.find(book.pool, book.id, accepted.payment.id))!;
  const authorization = (await paymentOperations.find(book.pool, book.id, payment.authorizedBy!))!;
  const capture = (amount: bigint) =>
    book.submit(
      capturePayment(
        book.id,
        { payment, authorization },
        { amount, requestId: newId(), actor: 'test', idempotencyKey: newId() },
      ),
    );
  const owner = new pg.Client({ connectionString: database.superuserUrl });
  await owner.connect();
  // As if so much had passed.
  await owner.query('UPDATE accounts SET posted_debits = $3, posted_credits = $3 WHERE book_id = $1 AND id = $2', [
    book.id,
    chartAccountId(book.id, 'acquirer', 'EUR'),
    RESERVE_TOTAL - 10_000n,
  ]);
  await owner.end();
  expect(await capture(10_001n)).toMatchObject({ refused: 'limit_exceeded', facts: { limit: RESERVE_TOTAL } });
  expect(await capture(10_000n)).toMatchObject({ status: 200 });
});
