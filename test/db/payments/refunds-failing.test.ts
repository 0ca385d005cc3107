/** Refunds that fail, on their way and after they succeeded: the money is back where it came from, to the unit. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/values/ids.ts';
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
afterEach(async () => {
  expect(await money.differences()).toEqual([]);
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const FAILED = { status: 'declined', code: 'processing_error' } as const;
const late = () => ({ ...FAILED, call: 'notice', noticeId: newId(), isLate: true }) as const;

/** 10,000 at 2.5 % and 10: 260 of fee, 9,740 earned. */
const EARNED = 9_740n;

describe.each(['on its way', 'after it succeeded'])('a refund that fails %s', (when) => {
  async function fails(refund: { id: string }) {
    if (when === 'on its way') return money.say(refund, FAILED);
    await money.say(refund, { status: 'succeeded' });
    return money.say(refund, late());
  }

  test('before the release: back to the share that it came from', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    expect(await money.shares(accountId)).toEqual([EARNED]);
    const refund = await money.refunding(payment, 4_000n);
    expect(await money.shares(accountId)).toEqual([EARNED - 3_900n]);
    expect(await fails(refund)).toMatchObject({ status: 'failed', fee: 0n, failureCode: 'processing_error' });
    expect(await money.shares(accountId)).toEqual([EARNED]);
    expect(await money.payment(payment)).toMatchObject({
      ...{ amountRefunded: 0n, amountRefunding: 0n, fee: 260n, feeRefunded: 0n },
    });
    expect(await money.balance(accountId)).toBe(0n);
    // What is refunded again takes the same.
    await money.say(await money.refunding(payment, 4_000n), { status: 'succeeded' });
    expect(await money.shares(accountId)).toEqual([EARNED - 3_900n]);
  });

  test('released meanwhile: to the customer', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    const refund = await money.refunding(payment, 4_000n);
    await money.release(accountId);
    expect(await money.balance(accountId)).toBe(EARNED - 3_900n);
    await fails(refund);
    expect(await money.balance(accountId)).toBe(EARNED);
  });

  test('made after the release: to the customer, whose account is frozen by then', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    const refund = await money.refunding(payment, 4_000n);
    await book.setStatus('freeze', accountId);
    await fails(refund);
    expect(await money.balance(accountId)).toBe(EARNED);
  });

  test('from other payments: back to their shares', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    const drained = await book.accept({ accountId, amount: EARNED - 100n, fee: 0n });
    expect(drained.status).toBe('pending');
    await money.captured(accountId, 10_000n, { days: 3, onceSettled: true });
    const refund = await money.refunding(payment, 4_000n);
    expect(await money.shares(accountId)).toEqual([EARNED - 3_800n]);
    await fails(refund);
    expect(await money.shares(accountId)).toEqual([EARNED]);
  });

  test('to an account that a chargeback has taken below its floor', async () => {
    const accountId = await book.account();
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    const refund = await money.refunding(payment, 4_000n);
    const { dispute } = await money.dispute(payment, { kind: 'dispute_chargeback', amount: 10_000n });
    expect(await money.balance(accountId)).toBe(EARNED - 3_900n - 10_000n);
    expect(await fails(refund)).toMatchObject({ status: 'failed' });
    expect(await money.balance(accountId)).toBe(EARNED - 10_000n);
    expect(await money.exceptions(payment.id, dispute!.id)).toEqual(['dispute_on_refunded']);
  });
});

test('a late failure that is told before the success changes nothing, and is booked behind it', async () => {
  const accountId = await book.account();
  const payment = await money.captured(accountId, 10_000n);
  const refund = await money.refunding(payment, 4_000n);
  const told = late();
  expect(await money.say(refund, told)).toMatchObject({ status: 'pending' });
  expect(await money.say(refund, { status: 'succeeded' })).toMatchObject({ status: 'succeeded' });
  expect(await money.say(refund, told)).toMatchObject({ status: 'failed' });
  const entries = await money.entries(refund.id);
  expect(await money.say(refund, told)).toMatchObject({ status: 'failed' });
  expect(await money.entries(refund.id)).toEqual(entries);
  expect(await money.exceptions(payment.id)).toEqual([]);
});

test('what is left of a payment in its share is its own: a second refund takes it, and then what the customer has', async () => {
  const accountId = await book.account({ amount: 10_000n });
  const payment = await money.captured(accountId, 10_000n);
  const other = await money.captured(accountId, 10_000n);
  await money.refunding(payment, 9_000n);
  const second = await money.refunding(payment, 1_000n);
  // All of its own went with both; the share still holds all of the other payment's, and the customer gave nothing.
  const own = EARNED - (10_000n - 250n);
  expect(second.portions.map(({ shareId, amount }) => [shareId === null, amount])).toEqual([
    [false, 975n + own],
    [true, -own],
  ]);
  expect(await money.shares(accountId)).toEqual([EARNED]);
  expect((await money.payment(other)).amountRefunding).toBe(0n);
});

const waiting = (accountId: string) =>
  book.rows('SELECT kind, amount FROM exceptions WHERE book_id = $1 AND account_id = $2 ORDER BY place', accountId);

describe('a refund that fails after its account was closed', () => {
  /** Everything was refunded: nothing is left in the share, or of the 10 that the customer had for the fixed fee. */
  async function closed() {
    const accountId = await book.account({ amount: 10n });
    const payment = await money.captured(accountId, 10_000n);
    const refund = await money.refunding(payment, 10_000n);
    await money.say(refund, { status: 'succeeded' });
    expect(await money.shares(accountId)).toEqual([0n]);
    expect(await book.setStatus('close', accountId)).toMatchObject({ status: 200 });
    return { accountId, refund };
  }

  test('gives to the customer, and no share waits for an account that is closed', async () => {
    const { accountId, refund } = await closed();
    await money.say(refund, late());
    expect(await money.shares(accountId)).toEqual([0n]);
    expect(await money.balance(accountId)).toBe(9_750n);
    expect(await waiting(accountId)).toEqual([{ kind: 'failed_refund_to_closed_account', amount: 9_750n }]);
  });

  test('what a share holds by then is released to it', async () => {
    const { accountId } = await closed();
    // Put there by a release that did not look whether the account is closed.
    await book.rows(
      `WITH share AS (UPDATE payment_shares SET amount = 5 WHERE book_id = $1 AND account_id = $2 RETURNING id)
       INSERT INTO payment_share_lines (book_id, id, share_id, payment_id, operation_id, round, amount, created_at)
       SELECT $1, gen_random_uuid(), share.id, gen_random_uuid(), gen_random_uuid(), 0, 5, now() FROM share`,
      accountId,
    );
    await book.rows(
      "UPDATE accounts SET posted_credits = posted_credits + 5 WHERE book_id = $1 AND code = 'merchant_pending'",
    );
    expect(await money.release(accountId)).toBe(1);
    expect(await money.balance(accountId)).toBe(5n);
    expect(await waiting(accountId)).toEqual([{ kind: 'release_to_closed_account', amount: 5n }]);
  });
});

test('two refunds at once never give back more than was captured', async () => {
  const accountId = await book.account();
  const payment = await money.captured(accountId, 10_000n);
  const answers = await Promise.all([1, 2, 3, 4].map(() => money.refund(payment, 4_000n)));
  expect(answers.filter((answer) => 'status' in answer)).toHaveLength(2);
  expect(answers.flatMap((answer) => ('refused' in answer ? answer.refused : []))).toEqual([
    'refund_exceeds_captured',
    'refund_exceeds_captured',
  ]);
  expect((await money.payment(payment)).amountRefunding).toBe(8_000n);
});
