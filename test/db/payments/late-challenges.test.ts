/** A payer who passes the challenge while the payment is ended for being late: the acquirer's last word counts, in any order. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AcquirerNotice } from '../../../src/acquirers/acquirer.ts';
import { type Acquirers, createAcquirers } from '../../../src/acquirers/acquirers.ts';
import { systemClock } from '../../../src/clock.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/log.ts';
import { noticeCommand } from '../../../src/payments/acquirer-notices.ts';
import type { Payment } from '../../../src/payments/payment.ts';
import { payments } from '../../../src/payments/payment-table.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { acceptOne, RELEASE, SUCCEEDED, say } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let acquirers: Acquirers;
let book: TestBook;

beforeAll(async () => {
  database = await createTestDatabase();
  const options = { publicUrl: 'https://api.test' };
  acquirers = createAcquirers({ DATABASE_URL: database.applicationUrl }, createLogger('silent', 'test'), options);
  book = await openBook({ database: database.applicationUrl });
});
afterAll(async () => {
  await book?.close();
  await acquirers?.close();
  await database?.drop();
});

type Accepted = Awaited<ReturnType<typeof acceptOne>>;

const find = async ({ id }: Payment) => (await payments.find(book.pool, book.id, id))!;
const exceptionKinds = async ({ payment }: Accepted) =>
  (
    await book.rows<{ kind: string }>('SELECT kind FROM exceptions WHERE book_id = $1 AND resource_id = $2', payment.id)
  ).map(({ kind }) => kind);

/** A payment whose payer has passed the challenge, which nobody has been told yet. */
async function passedChallenge(): Promise<Accepted & { notice: AcquirerNotice }> {
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
  const id = new URL(answer.challenge!.url).pathname.split('/').at(-1)!;
  await sandbox.resolveChallenge(id, { passed: true });
  const told = await sandbox.notices(1_000);
  return { ...accepted, notice: told.find(({ endToEndId }) => endToEndId === operation.reference)! };
}

const take = async ({ operation }: Accepted, notice: AcquirerNotice) => {
  const taking = {
    pool: book.pool,
    clock: systemClock,
    release: RELEASE,
    authorizationMs: SUCCEEDED.authorizationMs,
    acquirer: () => acquirers.sandbox,
  };
  await book.submit(
    await noticeCommand(taking, book.id, operation, { notice, evidence: JSON.stringify({ id: notice.id }) }),
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
