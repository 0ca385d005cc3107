/** Disputes as the acquirer tells of them: whose money a chargeback takes, what a decision gives back, and what is for a person. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../../src/db/pool.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import type { DisputeNotice } from '../../../src/payments/disputes/apply-dispute-notice.ts';
import type { Dispute } from '../../../src/payments/disputes/dispute.ts';
import { disputes } from '../../../src/payments/disputes/dispute-table.ts';
import { visitDisputes } from '../../../src/payments/disputes/visit-disputes.ts';
import { paymentOperations } from '../../../src/payments/operations/payment-operation-table.ts';
import { payments } from '../../../src/payments/payment/payment-table.ts';
import { requestRefund } from '../../../src/payments/refunds/refund-payment.ts';
import { releaseShares } from '../../../src/payments/shares/release-shares.ts';
import { paymentShares } from '../../../src/payments/shares/share-table.ts';
import { createLogger } from '../../../src/process/log.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook, transfer } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { acceptOne, say, tellOfDispute } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const DAY_MS = 86_400_000;
const FEE = 1_500n;

let database: TestDatabase;
let book: TestBook;
/** As an administrator: writes what no command does. */
let owner: Pool;
/** Milliseconds that the clock is ahead of this machine's. */
let ahead = 0;
let feeRefunded = false;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ url: database.ownerUrl, name: 'test owner', size: 1, log: createLogger('silent', 'test') });
  book = await openBook({ database: database.applicationUrl, clock: { now: () => Date.now() + ahead } });
});
afterAll(async () => {
  await book?.close();
  await owner?.end();
  await database?.drop();
});

/** Captured, 20,000 with a fee of 510: 19,490 wait for their release. */
async function paid(accountId: Uuid) {
  const { payment, operation } = await acceptOne(book, { accountId });
  await say(book, { payment, operation }, {});
  return { paymentId: payment.id, operation: (await paymentOperations.find(book.pool, book.id, operation.id))! };
}

type Paid = Awaited<ReturnType<typeof paid>>;

const tell = ({ operation }: Paid, change: Partial<DisputeNotice>) =>
  tellOfDispute(book, operation, change, { fees: new Map([['EUR', FEE]]), feeRefunded });

const paymentOf = async ({ paymentId }: Paid) => (await payments.find(book.pool, book.id, paymentId))!;
const read = async ({ id }: Dispute) => (await disputes.find(book.pool, book.id, id))!;

async function balance(accountId: Uuid): Promise<bigint> {
  const { posted } = await book.row<{ posted: bigint }>(
    'SELECT posted_credits - posted_debits AS posted FROM accounts WHERE book_id = $1 AND id = $2',
    accountId,
  );
  return posted;
}
const chart = (role: 'acquirer' | 'due_operator' | 'merchant_pending') => balance(chartAccountId(book.id, role, 'EUR'));

async function pending(accountId: Uuid): Promise<bigint> {
  const { sum } = await book.row<{ sum: bigint }>(
    'SELECT COALESCE(sum(amount), 0)::bigint AS sum FROM payment_shares WHERE book_id = $1 AND account_id = $2',
    accountId,
  );
  return sum;
}

/** Its captures are then where no schedule says, as those of release 0.3.0 are. */
async function release(accountId: Uuid): Promise<void> {
  await owner.query('UPDATE payment_operations SET release_schedule = NULL WHERE book_id = $1 AND account_id = $2', [
    book.id,
    accountId,
  ]);
  await owner.query(
    `UPDATE payment_shares SET kind = 'ready', releases_at = now() - interval '1 day', available_on = (now() - interval '1 day')::date::text
     WHERE book_id = $1 AND account_id = $2`,
    [book.id, accountId],
  );
  const rows = await book.rows<{ id: Uuid }>(
    'SELECT id FROM payment_shares WHERE book_id = $1 AND account_id = $2',
    accountId,
  );
  const shares = [
    ...(
      await paymentShares.load(
        book.pool,
        book.id,
        rows.map(({ id }) => id),
      )
    ).values(),
  ];
  await book.submit(releaseShares(book.id, shares));
}

async function overridden({ entryIds }: Dispute): Promise<boolean> {
  const { flag } = await book.row<{ flag: boolean }>(
    'SELECT floor_overridden AS flag FROM entries WHERE book_id = $1 AND id = $2',
    entryIds[0],
  );
  return flag;
}

async function exceptions({ id }: { id: Uuid }): Promise<string[]> {
  const rows = await book.rows<{ kind: string }>(
    'SELECT kind FROM exceptions WHERE book_id = $1 AND resource_id = $2 ORDER BY kind',
    id,
  );
  return rows.map(({ kind }) => kind);
}

test('a chargeback takes what waits of the payment itself first, then what is available', async () => {
  const accountId = await book.account({ amount: 10_000n });
  const given = await paid(accountId);
  const [acquirer, operator] = [await chart('acquirer'), await chart('due_operator')];
  const { dispute } = await tell(given, {});
  expect(dispute).toMatchObject({ status: 'opened', stage: 'chargeback', amount: 20_000n, fee: FEE });
  expect(await pending(accountId)).toBe(0n);
  expect(await balance(accountId)).toBe(10_000n - (20_000n + FEE - 19_490n));
  expect((await chart('acquirer')) - acquirer).toBe(20_000n);
  expect((await chart('due_operator')) - operator).toBe(FEE);
  expect(await overridden(dispute)).toBe(false);
  expect((await paymentOf(given)).amountDisputed).toBe(20_000n);
});

test('then what else waits for the account; what nobody has is owed, and flagged', async () => {
  const accountId = await book.account();
  const given = await paid(accountId);
  await release(accountId);
  const spent = await balance(accountId);
  const elsewhere = await book.account();

  await book.submit(transfer({ from: accountId, to: elsewhere, amount: spent }));
  // Of the next day, whose share is another one.
  ahead = DAY_MS;
  const other = await paid(accountId);
  ahead = 0;
  const { dispute } = await tell(given, {});
  expect(await pending(accountId)).toBe(0n);
  expect(await balance(accountId)).toBe(19_490n - 20_000n - FEE);
  expect(await overridden(dispute)).toBe(true);
  // What it took of the other payment is not that payment's to miss.
  expect((await paymentOf(other)).amountDisputed).toBe(0n);
});

test.each([false, true])(
  'won: the amount waits again where it came from; its fee by configuration: %s',
  async (refunded) => {
    feeRefunded = refunded;
    const accountId = await book.account();
    const given = await paid(accountId);
    const { dispute, notice } = await tell(given, { amount: 5_000n });
    expect(await pending(accountId)).toBe(19_490n - 5_000n - FEE);
    const { dispute: won } = await tell(given, { kind: 'dispute_won', reference: notice.reference });
    expect(won).toMatchObject({ id: dispute.id, status: 'won', feeRefunded: refunded ? FEE : 0n, visitAt: null });
    expect(await balance(accountId)).toBe(0n);
    expect(await pending(accountId)).toBe(19_490n - (refunded ? 0n : FEE));
    expect((await paymentOf(given)).amountDisputed).toBe(0n);
    feeRefunded = false;
  },
);

test('lost: nothing more moves, and what is disputed is not refundable', async () => {
  const accountId = await book.account({ amount: 50_000n });
  const given = await paid(accountId);
  const { dispute, notice } = await tell(given, { amount: 15_000n });
  const before = await chart('acquirer');
  const { dispute: lost } = await tell(given, { kind: 'dispute_lost', reference: notice.reference });
  expect(lost).toMatchObject({ status: 'lost', entryIds: dispute.entryIds });
  expect(await chart('acquirer')).toBe(before);
  expect(await refund(given, 6_000n)).toBe('refund_exceeds_captured');
  expect(await refund(given, 5_000n)).toBeUndefined();
});

async function refund({ paymentId }: Paid, amount: bigint): Promise<string | undefined> {
  const input = { bookId: book.id, paymentId, amount, requestId: newId(), actor: 'test', idempotencyKey: newId() };
  const { command } = await requestRefund.prepare(book, { ...input, fingerprint: Buffer.alloc(32) });
  return (await book.submit(command)).refused;
}

test('an inquiry books nothing; the chargeback that follows names it', async () => {
  const accountId = await book.account();
  const given = await paid(accountId);
  const { dispute: asked, notice } = await tell(given, { kind: 'dispute_inquiry' });
  expect(asked).toMatchObject({ stage: 'inquiry', fee: 0n, entryIds: [] });
  expect((await paymentOf(given)).amountDisputed).toBe(0n);
  expect(await pending(accountId)).toBe(19_490n);
  const { dispute } = await tell(given, { reference: notice.reference });
  expect(dispute).toMatchObject({ stage: 'chargeback', previousDispute: asked.id });
  expect(await read(asked)).toMatchObject({ status: 'lost', nextDispute: dispute.id });
});

test('a notice that is told twice is one dispute', async () => {
  const given = await paid(await book.account());
  const { dispute, notice } = await tell(given, { amount: 5_000n });
  expect((await tell(given, { ...notice })).dispute.id).toBe(dispute.id);
  expect((await paymentOf(given)).amountDisputed).toBe(5_000n);
});

test('a chargeback on what is refunded, or on a closed account, is booked, and for a person', async () => {
  const refunded = await paid(await book.account({ amount: 1_000n }));
  expect(await refund(refunded, 15_000n)).toBeUndefined();
  const { dispute } = await tell(refunded, {});
  expect(await exceptions(dispute)).toEqual(['dispute_on_refunded']);

  const accountId = await book.account();
  const given = await paid(accountId);
  await release(accountId);

  await book.submit(transfer({ from: accountId, to: await book.account(), amount: await balance(accountId) }));
  await book.setStatus('close', accountId);
  const { dispute: onClosed } = await tell(given, {});
  expect(await exceptions(onClosed)).toEqual(['dispute_on_closed_account']);
  expect(await balance(accountId)).toBe(-20_000n - FEE);
});

test('no more than was captured is taken; what nobody can explain books nothing', async () => {
  const given = await paid(await book.account());
  const { dispute } = await tell(given, { amount: 90_000n });
  expect(dispute.amount).toBe(20_000n);
  expect(await exceptions({ id: given.paymentId })).toEqual(['dispute_exceeds_payment']);
  await tell(given, { kind: 'dispute_won', reference: 'another', createdAt: 0 });
  expect(await exceptions({ id: given.paymentId })).toEqual(['dispute_exceeds_payment', 'dispute_unknown']);
  await tell(given, { kind: 'dispute_lost' });
  await tell(given, { kind: 'dispute_won' });
  expect(await read(dispute)).toMatchObject({ status: 'lost' });
  expect(await exceptions(dispute)).toEqual(['dispute_contradicted']);
});

test('an open dispute keeps its account open; a decided one does not', async () => {
  const accountId = await book.account();
  const given = await paid(accountId);
  const { notice } = await tell(given, { kind: 'dispute_inquiry' });
  await release(accountId);

  await book.submit(transfer({ from: accountId, to: await book.account(), amount: await balance(accountId) }));
  expect(await book.setStatus('close', accountId)).toMatchObject({ refused: 'account_not_empty' });
  await tell(given, { kind: 'dispute_won', reference: notice.reference });
  expect(await book.setStatus('close', accountId)).not.toHaveProperty('refused');
});

test('somebody is reminded once, and what nobody answered waits for the acquirer', async () => {
  const given = await paid(await book.account());
  const { dispute } = await tell(given, { amount: 1_000n });
  const visit = async () => book.submit(visitDisputes([await read(dispute)]));
  expect(await visit()).toBe(0);
  ahead = dispute.visitAt! - Date.now();
  expect(await visit()).toBe(1);
  expect(await visit()).toBe(0);
  ahead = dispute.evidenceDueAt - Date.now();
  expect(await visit()).toBe(1);
  ahead = 0;
  expect(await read(dispute)).toMatchObject({ status: 'opened', isOverdue: true, visitAt: null });
});

test('the books agree with all of it, and a wrong amount is found', async () => {
  const verify = async () => (await findingsOf(book)).map(({ check }) => check);
  expect(await verify()).toEqual([]);
  const off = (by: number) =>
    owner.query(
      `UPDATE payments SET amount_disputed = amount_disputed + $2 WHERE book_id = $1 AND id = (
         SELECT id FROM payments WHERE book_id = $1 AND amount_disputed > 5 ORDER BY id LIMIT 1)`,
      [book.id, by],
    );
  await off(-1);
  expect(await verify()).toEqual(['payment.amounts']);
  await off(1);
  const offFee = (by: number) =>
    owner.query(
      `UPDATE payment_disputes SET fee = fee + $2 WHERE book_id = $1 AND id = (
         SELECT id FROM payment_disputes WHERE book_id = $1 AND stage = 'chargeback' ORDER BY id LIMIT 1)`,
      [book.id, by],
    );
  await offFee(1);
  expect(new Set(await verify())).toEqual(new Set(['account.equation', 'payment.portions']));
  await offFee(-1);
  await owner.query(
    `UPDATE payment_disputes SET entry_ids = '[]' WHERE book_id = $1 AND id = (
       SELECT id FROM payment_disputes WHERE book_id = $1 AND stage = 'chargeback' ORDER BY id LIMIT 1)`,
    [book.id],
  );
  expect(await verify()).toEqual(['payment.entries']);
});
