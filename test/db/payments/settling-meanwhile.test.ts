/** Reports that are taken in while the acquirer answers about what they name: read again, booked once, and nothing is stuck. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { takeLineAgain } from '../../../scripts/settle-again.ts';
import type { Acquirers } from '../../../src/acquirers/acquirers.ts';
import { isPassing } from '../../../src/db/postgres-errors.ts';
import { newId, publicId, type Uuid } from '../../../src/ids.ts';
import { keepAppointments } from '../../../src/journal/keep-appointments.ts';
import type { Committer } from '../../../src/ledger/committer.ts';
import type { PaymentOperation } from '../../../src/payments/payment-operation.ts';
import { requestCapture } from '../../../src/payments/request-action.ts';
import { bookReport } from '../../../src/payments/settlements/book-report.ts';
import { openPayday, paydayOfSandbox } from '../../../src/payments/settlements/keep-payday.ts';
import { nextLines } from '../../../src/payments/settlements/next-lines.ts';
import { listParts } from '../../../src/payments/settlements/report-store.ts';
import { paydays } from '../../../src/payments/settlements/settlement-table.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { acceptOne } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';

let database: TestDatabase;
let book: TestBook;
let reports: Reports;
let money: MoneyBack;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  reports = new Reports(book);
  money = new MoneyBack(book);
  accountId = await book.account();
  return async () => {
    expect(await findingsOf(book)).toEqual([]);
    await book.close();
  };
});
afterAll(async () => {
  await database?.drop();
});

/** A capture of 20,000 that the acquirer has not answered: alone, or together with its authorization. */
async function underWay(how: 'alone' | 'with its authorization'): Promise<PaymentOperation> {
  const { payment, operation } = await acceptOne(book, { accountId, manual: how === 'alone' });
  if (how === 'with its authorization') return operation;
  await money.say(operation, { status: 'succeeded' });
  const { command } = await requestCapture.prepare(book, {
    ...{ bookId: book.id, paymentId: payment.id, actor: 'test', requestId: newId() },
    ...{ idempotencyKey: newId(), fingerprint: Buffer.alloc(32) },
  });
  await book.submit(command);
  const { pendingOperation } = await money.payment(payment);
  return money.operation(pendingOperation!);
}

/** What it earns waits for the acquirer to pay. */
const succeeds = (operation: PaymentOperation) =>
  money.say(operation, { status: 'succeeded' }, { days: 3, onceSettled: true });

/** Whoever submits by it meets the acquirer's answer behind the first reading. */
function answering(operation: PaymentOperation): Pick<Committer, 'submit'> {
  let answered = false;
  return {
    async submit(bookId, command, options) {
      if (!answered) await succeeds(operation);
      answered = true;
      return book.committer.submit(bookId, command, options);
    },
  };
}

async function expectSettled({ paymentId }: PaymentOperation): Promise<void> {
  expect(await money.payment({ id: paymentId })).toMatchObject({ status: 'settled', amountSettled: 20_000n });
  expect(await reports.poolBalance()).toBe(20_000n);
}

test('a capture that succeeds behind the reading is refused for now, which no bug is', async () => {
  const operation = await underWay('alone');
  const [part] = await listParts(book.pool, await reports.keep([reports.lineOf(operation)]));
  const { command } = (await nextLines(book.pool, part!))!;
  await succeeds(operation);
  const error = await book.submit(command).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'service_unavailable' });
  expect(isPassing(error)).toBe(true);
  expect(await reports.linesBooked()).toBe(0n);
});

test.each(['alone', 'with its authorization'] as const)('a capture %s is read again, and booked', async (how) => {
  const operation = await underWay(how);
  const report = await reports.keep([reports.lineOf(operation)]);
  const parts = await bookReport({ pool: book.pool, committer: answering(operation) }, report);
  expect(parts).toMatchObject([{ settlement: { status: 'completed', taken: 1, exceptions: 0 } }]);
  await expectSettled(operation);
});

test('a line that is taken again is read again', async () => {
  const operation = await underWay('alone');
  await reports.settle([reports.lineOf(operation)]);
  expect(await reports.exceptionKinds()).toEqual(['settlement_not_succeeded']);
  const { id } = await book.row<{ id: Uuid }>('SELECT id FROM exceptions WHERE book_id = $1');
  const runtime = { pool: book.pool, committer: answering(operation) };
  const { shown } = await takeLineAgain(runtime, publicId('exception', id), { by: 'Amal' });
  expect(shown).toMatchObject({ ok: true, booked: 20_000n });
  await expectSettled(operation);
});

test('a payday that meets it fails for now, is not set aside as stuck, and goes on the next time', async () => {
  const operation = await underWay('alone');
  const { id: reportId } = await reports.keep([reports.lineOf(operation)]);
  const id = newId();
  await book.submit(openPayday(id));
  await book.rows(
    'UPDATE acquirer_paydays SET report_ids = jsonb_build_array($3::text) WHERE book_id = $1 AND id = $2',
    id,
    reportId,
  );
  const stuck: unknown[] = [];
  const runtime = {
    pool: book.pool,
    committer: answering(operation),
    // Its report was made before: the acquirer is not called.
    acquirers: {} as Pick<Acquirers, 'sandbox'>,
    appointmentFailed: async (_: unknown, __: unknown, error: unknown) => void stuck.push(error),
  };
  const job = () => keepAppointments(runtime, paydayOfSandbox, { bookId: book.id, ids: [id] });
  await expect(job()).rejects.toMatchObject({ code: 'service_unavailable' });
  for (let steps = 0; steps < 2; steps++) await job();
  expect(stuck).toEqual([]);
  expect(await paydays.find(book.pool, book.id, id)).toMatchObject({ status: 'done' });
  await expectSettled(operation);
});
