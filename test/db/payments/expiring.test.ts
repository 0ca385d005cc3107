/** What runs out of time: payments that expire together, and requests to pay that their acquirer has never seen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Acquirer, AcquirerInstruction } from '../../../src/acquirers/acquirer.ts';
import { type Acquirers, createAcquirers } from '../../../src/acquirers/acquirers.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { RowLoads } from '../../../src/ledger/rows/row-loads.ts';
import type { InTurn } from '../../../src/outside/calls/called-party.ts';
import { capturePayment } from '../../../src/payments/actions/act-on-payment.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { expirePayments } from '../../../src/payments/outcomes/expire-payments.ts';
import {
  inquireOperations,
  type SendRuntime,
  submitOperations,
} from '../../../src/payments/outcomes/send-operations.ts';
import { aliasPlace } from '../../../src/payments/payment/cliq-request.ts';
import type { Payment } from '../../../src/payments/payment/payment.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { acceptOne, acceptRequest, RELEASE, SUCCEEDED, say, settleAll } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let acquirers: Acquirers;
let book: TestBook;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
  const options = { publicUrl: 'https://api.test' };
  acquirers = createAcquirers({ DATABASE_URL: database.applicationUrl }, createLogger('silent', 'test'), options);
  book = await openBook({ database: database.applicationUrl });
  accountId = await book.account();
});
afterAll(async () => {
  await book?.close();
  await acquirers?.close();
  await database?.drop();
});

const read = (id: Uuid) => payments.find(book.pool, book.id, id) as Promise<Payment>;

async function authorized(): Promise<Payment> {
  const accepted = await acceptOne(book, { accountId, manual: true });
  await say(book, accepted, {});
  return read(accepted.payment.id);
}

/** Of 20,000: half is captured, and paid by the acquirer. */
async function halfSettled(): Promise<Payment> {
  const payment = await authorized();
  const authorization = (await paymentOperations.find(book.pool, book.id, payment.authorizedBy!))!;
  const action = { requestId: newId(), actor: 'test', idempotencyKey: newId(), amount: 10_000n };
  await book.submit(capturePayment(book.id, { payment, authorization }, { ...action, id: payment.id } as never));
  const capturing = await read(payment.id);
  const operation = (await paymentOperations.find(book.pool, book.id, capturing.pendingOperation!))!;
  await say(book, { payment: capturing, operation }, {});
  await settleAll(book);
  return read(payment.id);
}

test('an attempt after a lost answer finds others over than the one before, and announces each under an id of its own', async () => {
  const [first, second] = [await halfSettled(), await authorized()];
  const end = (payment: Payment) =>
    book.rows("UPDATE payments SET expires_at = now() - interval '1 s' WHERE book_id = $1 AND id = $2", payment.id);
  await end(first);
  const command = expirePayments([first, second]);
  expect(await book.submit(command)).toBe(1);
  await end(second);
  // The answer to the commit was lost: the same command again.
  expect(await book.submit(command)).toBe(1);
  expect((await read(first.id)).status).toBe('settled');
  expect((await read(second.id)).status).toBe('expired');
  const told = await book.rows<{ type: string }>(
    `SELECT type FROM events WHERE book_id = $1 AND object_id = ANY ($2) AND type IN ('payment.captured', 'payment.settled', 'payment.expired')
     ORDER BY sequence`,
    [first.id, second.id],
  );
  expect(told.map(({ type }) => type)).toEqual(['payment.captured', 'payment.settled', 'payment.expired']);
});

describe('a request to pay that its acquirer has not seen', () => {
  const secretBox = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
  const MINUTE_MS = 60_000;

  async function asked() {
    const paymentId = newId();
    const aliasSealed = secretBox.seal('SALMA77', aliasPlace(book.id, paymentId));
    return acceptRequest(book, { paymentId, accountId, aliasSealed, expiresAfterMs: MINUTE_MS });
  }

  /** The payments pool with the sandbox acquirer, at this moment; what is submitted to it is kept. */
  function sending(now: number) {
    const submitted: AcquirerInstruction[] = [];
    const { sandbox } = acquirers;
    const acquirer: Acquirer & InTurn<Acquirer> = new Proxy(sandbox, {
      get(of, name) {
        if (name === 'submit')
          return (instruction: AcquirerInstruction) => {
            submitted.push(instruction);
            return of.submit(instruction);
          };
        if (name === 'inTurn') return (_: string, call: (client: Acquirer) => unknown) => call(acquirer);
        const member = Reflect.get(of, name, of);
        return typeof member === 'function' ? member.bind(of) : member;
      },
    });
    const calls: Promise<void>[] = [];
    const runtime: SendRuntime = {
      pool: book.pool,
      payments: new RowLoads(book.pool, payments),
      operations: new RowLoads(book.pool, paymentOperations),
      committer: book.committer,
      clock: { now: () => now },
      release: RELEASE,
      authorizationMs: SUCCEEDED.authorizationMs,
      fingerprints: PLAIN_FINGERPRINTS,
      publicUrl: 'https://api.test',
      secretBox,
      acquirer: () => acquirer,
      calls: { make: async ({ party, bookId }, call) => void calls.push(party.inTurn(bookId, call)) },
      rowFailed: (_rows, _row, error) => Promise.reject(error),
    };
    const run = async (send: typeof submitOperations, id: Uuid) => {
      await send(runtime, book.id, [id]);
      await Promise.all(calls);
    };
    return { run, submitted };
  }

  test.each([
    ['is asked about', inquireOperations],
    ['is sent at last', submitOperations],
  ])('and that %s after its end is taken back, and never asked of its payer', async (_, send) => {
    const { payment, operation } = await asked();
    const { run, submitted } = sending(Date.now() + 2 * MINUTE_MS);
    await run(send, operation.id);
    expect(submitted).toEqual([]);
    expect(await read(payment.id)).toMatchObject({ status: 'expired', pendingOperation: null });
    expect(await acquirers.sandbox.inquire(book.id, operation.reference)).toMatchObject({ status: 'canceled' });
  });

  test('is asked until the same moment, however often it is sent', async () => {
    const { payment, operation } = await asked();
    const { run, submitted } = sending(Date.now());
    await run(submitOperations, operation.id);
    // The sweeper has postponed the payment meanwhile.
    await book.rows("UPDATE payments SET due_at = due_at + interval '1 h' WHERE book_id = $1 AND id = $2", payment.id);
    await book.rows("UPDATE payment_operations SET status = 'pending' WHERE book_id = $1 AND id = $2", operation.id);
    await run(submitOperations, operation.id);
    const until = submitted.map((instruction) => instruction.kind === 'authorize' && instruction.request?.expiresAt);
    expect(until).toEqual([payment.dueAt, payment.dueAt]);
  });
});
