/** A payer who passes the challenge while the payment is ended for being late: the acquirer's last word counts, in any order. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AcquirerNotice } from '../../../src/acquirers/acquirer.ts';
import { type Acquirers, createAcquirers } from '../../../src/acquirers/acquirers.ts';
import { createSecretBox } from '../../../src/db/secret-box.ts';
import { RowLoads } from '../../../src/ledger/rows/row-loads.ts';
import { cancelPayment, capturePayment } from '../../../src/payments/actions/act-on-payment.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { noticeCommand } from '../../../src/payments/outcomes/acquirer-notices.ts';
import { inquireOperations, type SendRuntime } from '../../../src/payments/outcomes/send-operations.ts';
import type { Payment } from '../../../src/payments/payment/payment.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import type { Clock } from '../../../src/values/clock.ts';
import { newId } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { PLAIN_FINGERPRINTS } from '../../support/fingerprints.ts';
import { acceptOne, RELEASE, SUCCEEDED, say } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let acquirers: Acquirers;
let book: TestBook;
/** Milliseconds that everybody's clock is ahead. */
let ahead = 0;
const clock: Clock = { now: () => Date.now() + ahead };

beforeAll(async () => {
  database = await createTestDatabase();
  const options = { publicUrl: 'https://api.test' };
  acquirers = createAcquirers({ DATABASE_URL: database.applicationUrl }, createLogger('silent', 'test'), options);
  book = await openBook({ database: database.applicationUrl, clock });
});
beforeEach(() => {
  ahead = 0;
});
afterAll(async () => {
  await book?.close();
  await acquirers?.close();
  await database?.drop();
});

const ANOTHER = { kind: 'acquirer_amount_mismatch', detail: 'The acquirer confirms 1.' } as const;

const secretBox = createSecretBox(Buffer.alloc(32, 7).toString('base64'));
type Accepted = Awaited<ReturnType<typeof acceptOne>>;

const find = async ({ id }: Payment) => (await payments.find(book.pool, book.id, id))!;
const exceptionKinds = async ({ payment }: Accepted) =>
  (
    await book.rows<{ kind: string }>('SELECT kind FROM exceptions WHERE book_id = $1 AND resource_id = $2', payment.id)
  ).map(({ kind }) => kind);

/** A payment whose payer is at the bank. */
async function atTheBank(): Promise<Accepted & { challenge: { url: string; expiresAt: number } }> {
  const accepted = await acceptOne(book, { accountId: await book.account(), manual: true });
  const { operation } = accepted;
  const { sandbox } = acquirers;
  const card = { number: '4000002500003155', expMonth: 12, expYear: 2034, cvc: '123', name: null };
  const { token } = await sandbox.tokenize(card, { originator: book.id, reusable: false });
  const answer = await sandbox.submit({
    kind: 'authorize',
    ...{ originator: book.id, reference: operation.reference, amount: operation.amount, currency: operation.currency },
    notAfter: Date.now() + 600_000,
    ...{ token, request: null, billing: null, capture: false, initiator: 'customer', previousNetworkReference: null },
    ...{ returnUrl: 'https://shop.example/return', statementDescriptor: null },
  });
  await say(book, accepted, { ...answer, mismatches: [], raw: { id: newId() } });
  return { ...accepted, challenge: answer.challenge! };
}

/** A payment whose payer has passed the challenge, which nobody has been told yet. */
async function passedChallenge(): Promise<Accepted & { notice: AcquirerNotice }> {
  const { challenge, ...accepted } = await atTheBank();
  const { sandbox } = acquirers;
  const id = new URL(challenge.url).pathname.split('/').at(-1)!;
  await sandbox.resolveChallenge(id, { passed: true });
  const told = await sandbox.notices(1_000);
  return { ...accepted, notice: told.find(({ endToEndId }) => endToEndId === accepted.operation.reference)! };
}

/** The payments pool asks about an operation at this moment, which is the book's too. */
async function inquireAt(now: number, { operation }: Accepted): Promise<void> {
  ahead = now - Date.now();
  const calls: Promise<void>[] = [];
  const runtime: SendRuntime = {
    pool: book.pool,
    payments: new RowLoads(book.pool, payments),
    operations: new RowLoads(book.pool, paymentOperations),
    committer: book.committer,
    clock,
    release: RELEASE,
    authorizationMs: SUCCEEDED.authorizationMs,
    fingerprints: PLAIN_FINGERPRINTS,
    publicUrl: 'https://api.test',
    secretBox,
    acquirer: () => acquirers.sandbox,
    calls: { make: async ({ party, bookId }, call) => void calls.push(party.inTurn(bookId, call)) },
    rowFailed: (_rows, _row, error) => Promise.reject(error),
  };
  await inquireOperations(runtime, book.id, [operation.id]);
  await Promise.all(calls);
}

const take = async ({ operation }: Accepted, notice: AcquirerNotice) => {
  const taking = {
    pool: book.pool,
    clock,
    release: RELEASE,
    authorizationMs: SUCCEEDED.authorizationMs,
    acquirer: () => acquirers.sandbox,
  };
  await book.submit(
    await noticeCommand(taking, book.id, operation, {
      ...{ notice, evidence: JSON.stringify({ id: notice.id }), callFor: 'job' },
    }),
  );
};
const endLate = async (accepted: Accepted) => {
  const answer = await acquirers.sandbox.cancel(book.id, accepted.operation.reference);
  expect(answer).toMatchObject({ status: 'canceled', endToEndId: accepted.operation.reference });
  await say(book, accepted, { ...answer, call: 'cancel', mismatches: [], raw: { id: newId() } });
};

test('its notice comes first: the payment is authorized, and canceled with its authorization', async () => {
  const accepted = await passedChallenge();
  await take(accepted, accepted.notice);
  expect(await find(accepted.payment)).toMatchObject({ status: 'authorized' });
  await endLate(accepted);
  expect(await find(accepted.payment)).toMatchObject({ status: 'canceled', dueAt: null, expiresAt: null });
  await endLate(accepted);
  expect(await exceptionKinds(accepted)).toEqual([]);
});

test('its notice comes last: the payment stays canceled, and nobody has to explain it', async () => {
  const accepted = await passedChallenge();
  await endLate(accepted);
  expect(await find(accepted.payment)).toMatchObject({ status: 'canceled' });
  await take(accepted, accepted.notice);
  expect(await find(accepted.payment)).toMatchObject({ status: 'canceled' });
  expect(await exceptionKinds(accepted)).toEqual([]);
});

test('its notice comes when the acquirer has canceled it, and before that is known', async () => {
  const accepted = await passedChallenge();
  await acquirers.sandbox.cancel(book.id, accepted.operation.reference);
  await take(accepted, accepted.notice);
  expect(await find(accepted.payment)).toMatchObject({ status: 'canceled' });
  expect(await exceptionKinds(accepted)).toEqual([]);
});

test('what was captured cannot be canceled: a person looks at it', async () => {
  const accepted = await acceptOne(book, { accountId: await book.account() });
  await say(book, accepted, { reference: 'acquirer 1' });
  await say(book, accepted, { status: 'canceled', call: 'cancel', raw: { id: newId() } });
  expect(await find(accepted.payment)).toMatchObject({ status: 'captured' });
  expect(await exceptionKinds(accepted)).toEqual(['failed_after_succeeded']);
  const [capture] = await book.rows<{ acquirer_reference: string }>(
    "SELECT acquirer_reference FROM payment_operations WHERE book_id = $1 AND payment_id = $2 AND kind = 'capture'",
    accepted.payment.id,
  );
  expect(capture).toEqual({ acquirer_reference: 'acquirer 1' });
});

test.each`
  word                                              | what
  ${{ status: 'pending' }}                          | ${'that nothing is decided'}
  ${{ status: 'unknown' }}                          | ${'nothing'}
  ${{ status: 'succeeded', mismatches: [ANOTHER] }} | ${'another amount'}
`('an acquirer that says $what while the payer is at the bank does not end the challenge', async ({ word }) => {
  const accepted = await atTheBank();
  const { operation, challenge } = accepted;
  const recorded = async () => (await acquirers.sandbox.inquire(book.id, operation.reference)).status;
  await say(book, accepted, { ...word, call: 'inquire', raw: { id: newId() } });
  await inquireAt(Date.now() + 30_000, accepted);
  expect(await recorded()).toBe('requires_action');
  expect(await find(accepted.payment)).toMatchObject({ status: 'requires_action' });
  await inquireAt(challenge.expiresAt, accepted);
  // What a person has to explain is left as it is.
  expect(await recorded()).toBe(word.mismatches ? 'requires_action' : 'canceled');
});

test('what was read before the payment was authorized names no authorization: it is read again', async () => {
  const accepted = await acceptOne(book, { accountId: await book.account(), manual: true });
  await say(book, accepted, {});
  const input = { requestId: newId(), idempotencyKey: newId() };
  const stale = { payment: accepted.payment, authorization: undefined };
  for (const act of [capturePayment, cancelPayment])
    await expect(book.submit(act(book.id, stale, input))).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await find(accepted.payment)).toMatchObject({ status: 'authorized', pendingOperation: null });
});
