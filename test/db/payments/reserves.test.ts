/** Part of what captures earn is reserved: released later, taken behind the rest, and never lost. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requestCapture } from '../../../src/payments/actions/request-action.ts';
import { sumOpenShares } from '../../../src/payments/shares/balance-store.ts';
import { balanceView } from '../../../src/payments/shares/balance-view.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { acceptOne, releaseIn, settleAll } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let accountId: Uuid;
let ahead: number;
const clock = { now: () => Date.now() + ahead };
const DAY_MS = 86_400_000;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  ahead = 0;
  book = await openBook({ database: database.applicationUrl, clock });
  money = new MoneyBack(book, clock);
  accountId = await book.account();
});
afterEach(async () => {
  expect(await findingsOf(book)).toEqual([]);
  await book.close();
});
afterAll(() => database?.drop());

/** 10 % for 90 days beside two days for the rest. */
const RESERVED = releaseIn({ onceSettled: false, reserve: { basisPoints: 1_000, days: 90 } });
const ONCE_SETTLED = { ...RESERVED, onceSettled: true };
/** 10,000 at 2.5 % and 10: 260 of fee, 9,740 earned. */
const [ORDINARY, RESERVE] = [8_766n, 974n];
const EARNED = ORDINARY + RESERVE;
const FAILED = { status: 'declined', code: 'processing_error' } as const;

async function releaseAfter(days: number): Promise<number> {
  ahead += days * DAY_MS;
  return money.release(accountId);
}

async function balance() {
  const amounts = await sumOpenShares(book.pool, book.id, { accountId });
  const [shown] = balanceView(amounts, { livemode: false, accountId }).balances;
  return { ...shown!, available: shown!.available.map(({ amount }) => amount) };
}

describe('a capture of 10,000', () => {
  test('is released in two parts', async () => {
    const payment = await money.captured(accountId, 10_000n, RESERVED);
    expect(await money.shares(accountId)).toEqual([ORDINARY, RESERVE]);
    const { availableOn } = await money.payment(payment);
    const days = await book.rows<{ available_on: string }>(
      'SELECT available_on FROM payment_shares WHERE book_id = $1 AND NOT is_reserve',
    );
    expect(days).toEqual([{ available_on: availableOn }]);
    expect(await balance()).toMatchObject({ pending: 0n, reserved: RESERVE, available: [ORDINARY] });
    expect(await releaseAfter(3)).toBe(1);
    expect(await money.balance(accountId)).toBe(ORDINARY);
    expect(await balance()).toMatchObject({ pending: 0n, reserved: RESERVE, available: [] });
    expect(await releaseAfter(80)).toBe(0);
    expect(await releaseAfter(8)).toBe(1);
    expect(await money.balance(accountId)).toBe(EARNED);
  });

  test('once settled: what the acquirer pays moves both parts', async () => {
    await money.captured(accountId, 10_000n, ONCE_SETTLED);
    expect(await balance()).toMatchObject({ pending: ORDINARY, reserved: RESERVE, available: [] });
    expect(await releaseAfter(1)).toBe(0);
    await settleAll(book);
    expect(await balance()).toMatchObject({ pending: 0n, reserved: RESERVE, available: [ORDINARY] });
    expect(await releaseAfter(2)).toBe(1);
    expect(await releaseAfter(90)).toBe(1);
    expect(await money.balance(accountId)).toBe(EARNED);
  });

  test('that is settled after its day: released at once, and the reserve on its own day', async () => {
    await money.captured(accountId, 10_000n, ONCE_SETTLED);
    ahead += 5 * DAY_MS;
    await settleAll(book);
    expect(await money.balance(accountId)).toBe(ORDINARY);
    expect(await balance()).toMatchObject({ pending: 0n, reserved: RESERVE, available: [] });
    expect(await releaseAfter(86)).toBe(1);
    expect(await money.balance(accountId)).toBe(EARNED);
  });

  test('that is settled after both days: both at once', async () => {
    await money.captured(accountId, 10_000n, ONCE_SETTLED);
    ahead += 100 * DAY_MS;
    await settleAll(book);
    expect(await money.balance(accountId)).toBe(EARNED);
    expect(await money.shares(accountId)).toEqual([0n, 0n]);
  });
});

describe('a refund', () => {
  test('takes what is not reserved first', async () => {
    const payment = await money.captured(accountId, 10_000n, RESERVED);
    await money.refunding(payment, 4_000n);
    expect(await money.shares(accountId)).toEqual([ORDINARY - 3_900n, RESERVE]);
    await money.refunding(payment, 5_500n);
    expect(await money.shares(accountId)).toEqual([0n, EARNED - 3_900n - 5_363n]);
  });

  test('between both releases takes the reserve, and then what the customer has', async () => {
    const payment = await money.captured(accountId, 10_000n, RESERVED);
    await releaseAfter(3);
    const refund = await money.refunding(payment, 4_000n);
    expect(refund.portions.map(({ shareId, amount }) => [shareId === null, amount])).toEqual([
      [false, RESERVE],
      [true, 3_900n - RESERVE],
    ]);
    await releaseAfter(90);
    expect(await money.balance(accountId)).toBe(EARNED - 3_900n);
  });

  test('before the acquirer pays leaves both parts what is left, and the settlement moves that', async () => {
    const payment = await money.captured(accountId, 10_000n, ONCE_SETTLED);
    await money.say(await money.refunding(payment, 4_000n), { status: 'succeeded' });
    await settleAll(book);
    expect(await balance()).toMatchObject({ pending: 0n, reserved: RESERVE, available: [ORDINARY - 3_900n] });
    const refund = await money.refunding(payment, 5_500n);
    expect(await balance()).toMatchObject({ pending: 0n, reserved: EARNED - 3_900n - 5_363n, available: [] });
    await money.say(refund, { status: 'succeeded' });
    await releaseAfter(100);
    expect(await money.balance(accountId)).toBe(EARNED - 3_900n - 5_363n);
  });

  test('behind both releases takes what the customer has', async () => {
    const payment = await money.captured(accountId, 10_000n, RESERVED);
    await releaseAfter(3);
    await releaseAfter(90);
    await money.refunding(payment, 4_000n);
    expect(await money.balance(accountId)).toBe(EARNED - 3_900n);
  });

  test('takes the reserve of another payment last of all', async () => {
    const payment = await money.captured(accountId, 10_000n, { days: 0, onceSettled: false });
    await money.release(accountId);
    await book.accept({ accountId, amount: EARNED, fee: 0n });
    await money.captured(accountId, 10_000n, RESERVED);
    await money.refunding(payment, 4_000n);
    expect(await money.shares(accountId)).toEqual([ORDINARY - 3_900n, RESERVE]);
    await money.refunding(payment, 5_500n);
    expect(await money.shares(accountId)).toEqual([0n, EARNED - 3_900n - 5_363n]);
  });

  test('of several captures takes what is not reserved of all of them first', async () => {
    const { payment, operation } = await acceptOne(book, { accountId, amount: 20_000n, manual: true });
    await money.say(operation, { status: 'succeeded' });
    await capturePart(payment.id, 10_000n);
    ahead += DAY_MS;
    await capturePart(payment.id, 10_000n);
    const [one, other] = [9_740n - 974n, 9_750n - 975n];
    expect(await money.shares(accountId)).toEqual([one, other, 974n, 975n]);
    const { portions } = await money.refunding(payment, 18_900n);
    const taken = portions.reduce((sum, { amount }) => sum + amount, 0n);
    expect(portions.map(({ amount }) => amount)).toEqual([one, other, taken - one - other]);
    expect(await money.shares(accountId)).toEqual([0n, 0n, 974n + one + other - taken, 975n]);
  });

  describe.each(['ready', 'waiting', 'settled meanwhile'])('that fails, of a payment that is %s', (when) => {
    const release = when === 'ready' ? RESERVED : ONCE_SETTLED;
    const settled = async () => {
      if (when === 'settled meanwhile') await settleAll(book);
    };

    test('gives each part back to where it came from', async () => {
      const payment = await money.captured(accountId, 10_000n, release);
      const refund = await money.refunding(payment, 9_500n);
      expect(refund.portions.map(({ amount }) => amount)[0]).toBe(ORDINARY);
      await settled();
      await money.say(refund, FAILED);
      const { pending, reserved, available } = await balance();
      expect(reserved).toBe(RESERVE);
      const rest = pending + available.reduce((sum, amount) => sum + amount, 0n);
      expect([rest, await money.balance(accountId)]).toEqual([ORDINARY, 0n]);
    });
  });

  test('that took what was not reserved gives to the customer once that is released, and never to the reserve', async () => {
    const payment = await money.captured(accountId, 10_000n, RESERVED);
    const refund = await money.refunding(payment, 4_000n);
    await releaseAfter(3);
    await money.say(refund, FAILED);
    expect(await money.shares(accountId)).toEqual([RESERVE]);
    expect(await money.balance(accountId)).toBe(ORDINARY);
  });
});

test('a chargeback takes the reserve before what the customer has', async () => {
  const payment = await money.captured(accountId, 10_000n, RESERVED);
  await releaseAfter(3);
  await money.dispute(payment, { kind: 'dispute_chargeback', amount: 5_000n });
  expect(await money.shares(accountId)).toEqual([0n]);
  expect(await money.balance(accountId)).toBe(ORDINARY - (5_000n - RESERVE));
});

test('what waits as a reserve keeps the account open', async () => {
  const payment = await money.captured(accountId, 10_000n, RESERVED);
  const refund = await money.refunding(payment, 9_500n);
  await money.say(refund, { status: 'succeeded' });
  const [, left] = await money.shares(accountId);
  const blockedBy = [{ type: 'unreleased_shares', unreleased: left }];
  expect(await book.setStatus('close', accountId)).toMatchObject({
    ...{ refused: 'account_not_empty', facts: { blocked_by: blockedBy } },
  });
});

async function capturePart(paymentId: Uuid, amount: bigint): Promise<void> {
  const { command } = await requestCapture.prepare(book, {
    ...{ bookId: book.id, paymentId, amount, actor: 'test', requestId: newId() },
    ...{ idempotencyKey: newId(), fingerprint: Buffer.alloc(32) },
  });
  await book.submit(command);
  const { pendingOperation } = await money.payment({ id: paymentId });
  await money.say({ id: pendingOperation! }, { status: 'succeeded' }, RESERVED);
}
