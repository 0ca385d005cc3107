/** When money that comes back is due: on the day on which it would have been, of its kind; and what verify finds where it was not. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { assignException } from '../../../src/exceptions/handle-exception.ts';
import { moveException } from '../../../src/exceptions/move-exception.ts';
import { newId, publicId, type Uuid } from '../../../src/values/ids.ts';

import { openBook, stored, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { type Captured, MoneyBack } from '../../support/money-back.ts';
import { releaseIn, settleAll } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';
import { corrupt } from '../../support/verify-scene.ts';

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
afterEach(() => book.close());
afterAll(() => database?.drop());

/** Thirty days, and half of it for ninety. */
const SCHEDULE = releaseIn({ days: 30, reserve: { basisPoints: 5_000, days: 90 } });
/** 10,000 at 2.5 % and 10: 9,740 earned, in two halves. */
const HALF = 4_870n;
const FAILED = { status: 'declined', code: 'processing_error' } as const;
const late = () => ({ ...FAILED, call: 'notice', noticeId: newId(), isLate: true }) as const;

/** What waits of the account, as a capture's two parts; and what the account has. */
async function whereItIs() {
  const rows = await book.rows<{ is_reserve: boolean; kind: string; amount: bigint }>(
    `SELECT is_reserve, kind, amount FROM payment_shares
     WHERE book_id = $1 AND account_id = $2 AND status = 'open' AND amount > 0 ORDER BY is_reserve, kind`,
    accountId,
  );
  const of = (reserve: boolean) => rows.filter(({ is_reserve }) => is_reserve === reserve);
  const shown = (reserve: boolean) => of(reserve).map(({ kind, amount }) => `${kind} ${amount}`);
  return { ordinary: shown(false), reserve: shown(true), account: await money.balance(accountId) };
}

async function releaseAfter(days: number) {
  ahead += days * DAY_MS;
  await money.release(accountId);
  return whereItIs();
}

/** Comes back in full: a refund of all of it, or a dispute. */
const WAYS: Record<string, (payment: Captured, meanwhile: () => Promise<void>) => Promise<void>> = {
  'a refund that fails': async (payment, meanwhile) => {
    const refund = await money.refunding(payment);
    await meanwhile();
    await money.say(refund, FAILED);
  },
  'a refund that fails after it succeeded': async (payment, meanwhile) => {
    const refund = await money.refunding(payment);
    await money.say(refund, { status: 'succeeded' });
    await meanwhile();
    await money.say(refund, late());
  },
  'a dispute that is won': async (payment, meanwhile) => {
    await money.dispute(payment, { kind: 'dispute_chargeback' });
    await meanwhile();
    await money.dispute(payment, { kind: 'dispute_won' });
  },
  'a dispute that is won with its fee': async (payment, meanwhile) => {
    money.terms = { fees: new Map([['EUR', 1_500n]]), feeRefunded: true };
    await WAYS['a dispute that is won']!(payment, meanwhile);
  },
};

describe.each(Object.entries(WAYS))('%s', (_, comesBack) => {
  /** The fixed fee stays with the operator, and the merchant pays it; a dispute takes it with the rest. */
  beforeEach(async () => {
    await book.fund(accountId, 10_000n);
  });
  const settle = () => settleAll(book);
  const nothing = () => Promise.resolve();

  test.each([
    ['settled before', settle, nothing],
    ['settled meanwhile', nothing, settle],
  ])('of a capture that is %s waits for its day, and the reserve for its own', async (__, before, meanwhile) => {
    const payment = await money.captured(accountId, 10_000n, SCHEDULE);
    await before();
    await comesBack(payment, meanwhile);
    const waits = { ordinary: [`ready ${HALF}`], reserve: [`ready ${HALF}`], account: 10_000n };
    expect(await whereItIs()).toEqual(waits);
    // It is the payment's own again.
    const again = await money.refunding(payment, 4_000n);
    expect(again.portions).toMatchObject([{ captureId: expect.any(String), amount: 3_900n }]);
    await money.say(again, FAILED);
    expect(await whereItIs()).toEqual(waits);
    expect(await releaseAfter(29)).toEqual(waits);
    expect(await releaseAfter(2)).toEqual({ ...waits, ordinary: [], account: 10_000n + HALF });
    expect(await releaseAfter(58)).toMatchObject({ reserve: [`ready ${HALF}`] });
    expect(await releaseAfter(2)).toEqual({ ordinary: [], reserve: [], account: 10_000n + 2n * HALF });
    expect(await findingsOf(book)).toEqual([]);
  });

  test('of a capture that the acquirer has not paid waits for that, even behind its day', async () => {
    const payment = await money.captured(accountId, 10_000n, SCHEDULE);
    await comesBack(payment, async () => {
      ahead += 40 * DAY_MS;
    });
    const waits = { ordinary: [`waiting ${HALF}`], reserve: [`waiting ${HALF}`], account: 10_000n };
    expect(await whereItIs()).toEqual(waits);
    await settleAll(book);
    expect(await whereItIs()).toEqual({ ordinary: [], reserve: [`ready ${HALF}`], account: 10_000n + HALF });
    expect(await findingsOf(book)).toEqual([]);
  });

  test('goes to the account where its day is over, and the reserve waits', async () => {
    const payment = await money.captured(accountId, 10_000n, SCHEDULE);
    await settleAll(book);
    await comesBack(payment, async () => {
      await releaseAfter(31);
    });
    expect(await whereItIs()).toEqual({ ordinary: [], reserve: [`ready ${HALF}`], account: 10_000n + HALF });
    expect(await findingsOf(book)).toEqual([]);
  });
});

describe('a refund that another payment had lent its money to', () => {
  /** The account has spent what the payment earned, so that its refund takes what another one waits with. */
  async function refunding() {
    const payment = await money.captured(accountId, 10_000n, { days: 0, onceSettled: false });
    await money.release(accountId);
    await book.accept({ accountId, amount: 2n * HALF, fee: 0n });
    await settleAll(book);
    await money.captured(accountId, 10_000n, SCHEDULE);
    return money.refunding(payment, 9_000n);
  }
  const LENT = 9_000n - 225n;

  test('gives back to those that wait, and what they were paid without waits for the same days', async () => {
    const refund = await refunding();
    await money.captured(accountId, 4_000n, SCHEDULE);
    // The first one is settled without what it lacks; the other waits in the same share.
    await settleOne();
    await money.say(refund, FAILED);
    const { ordinary, reserve, account } = await whereItIs();
    expect(account).toBe(2n * HALF);
    expect([ordinary.length, reserve.length]).toEqual([2, 2]);
    expect(await findingsOf(book)).toEqual([]);
    await settleAll(book);
    expect(await releaseAfter(31)).toMatchObject({ ordinary: [], account: 3n * HALF + 1_945n });
    expect(await releaseAfter(60)).toMatchObject({ reserve: [], account: 4n * HALF + 3_890n });
    expect(await findingsOf(book)).toEqual([]);
  });

  test('after all of them were settled: all of it waits for the days of its shares', async () => {
    const refund = await refunding();
    await settleAll(book);
    expect(await whereItIs()).toMatchObject({ ordinary: [], reserve: [`ready ${2n * HALF - LENT}`] });
    await money.say(refund, FAILED);
    expect(await whereItIs()).toEqual({
      ...{ ordinary: [`ready ${HALF}`], reserve: [`ready ${HALF}`], account: 2n * HALF },
    });
    expect(await findingsOf(book)).toEqual([]);
  });

  /** The capture that came first of those that are not settled. */
  async function settleOne() {
    const [{ id }] = (await book.rows<{ id: string }>(
      `SELECT id FROM payment_operations WHERE book_id = $1 AND kind = 'capture' AND settled_at IS NULL ORDER BY id LIMIT 1`,
    )) as [{ id: string }];
    const { reference, amount, of } = await money.operation(id);
    const reports = new Reports(book);
    await reports.settle([reports.lineOf({ reference: of ?? reference }, { gross: amount })]);
  }
});

describe('an account that was closed', () => {
  const ADA = 'person:018f4d3e-7b2a-7000-8000-00000000ada0';
  const opened = () =>
    book.rows<{ id: Uuid; kind: string; amount: bigint }>(
      'SELECT id, kind, amount FROM exceptions WHERE book_id = $1 AND account_id = $2 ORDER BY place',
      accountId,
    );

  /** Nothing is left of the payment: all of it, and the 10 that the account had for the fixed fee, went back to its payer. */
  async function refunded(release = SCHEDULE) {
    await book.fund(accountId, 10n);
    const payment = await money.captured(accountId, 10_000n, release);
    await settleAll(book);
    const refund = await money.refunding(payment);
    await money.say(refund, { status: 'succeeded' });
    expect(await book.setStatus('close', accountId)).toMatchObject({ status: 200 });
    return { payment, refund };
  }

  /** A person takes the exception and moves its money; another account has it. */
  async function moved(id: Uuid) {
    const target = await book.account();
    const request = { exceptionId: id, requestId: newId(), actor: ADA };
    await book.submit(stored(assignException({ ...request, personId: newId() })));
    const exception = (await exceptions.find(book.pool, book.id, id))!;
    const answer = await book.submit(stored(moveException({ ...request, exception, accountId: target })));
    return { answer, balance: await money.balance(target) };
  }

  test('has what fails late on its day, and an exception for each part that moves it on', async () => {
    const { refund } = await refunded();
    await money.say(refund, late());
    expect(await whereItIs()).toMatchObject({ ordinary: [`ready ${HALF}`], reserve: [`ready ${HALF}`], account: 10n });
    expect(await opened()).toMatchObject([{ kind: 'failed_refund_to_closed_account', amount: 10n }]);
    expect(await releaseAfter(31)).toMatchObject({ account: 10n + HALF });
    expect(await releaseAfter(60)).toMatchObject({ account: 10n + 2n * HALF });
    const [failed, first, second] = await opened();
    expect([first, second]).toMatchObject(Array(2).fill({ kind: 'release_to_closed_account', amount: HALF }));
    expect(await findingsOf(book)).toEqual([]);
    for (const { id, amount } of [failed!, first!, second!])
      expect(await moved(id)).toMatchObject({ answer: { status: 200 }, balance: amount });
    expect(await money.balance(accountId)).toBe(0n);
    expect(await findingsOf(book)).toEqual([]);
  });

  test('has what it won beyond what it owed; a chargeback that takes some of it leaves the rest to be moved', async () => {
    const { payment, refund } = await refunded(releaseIn({ days: 0 }));
    await money.dispute(payment, { kind: 'dispute_chargeback', amount: 3_000n });
    expect(await money.balance(accountId)).toBe(-3_000n);
    await money.say(refund, late());
    expect(await opened()).toMatchObject([{ kind: 'failed_refund_to_closed_account', amount: 9_750n - 3_000n }]);
    await money.dispute(payment, { kind: 'dispute_won' });
    expect(await opened()).toMatchObject([{}, { kind: 'won_dispute_to_closed_account', amount: 3_000n }]);
    await money.dispute(payment, { kind: 'dispute_chargeback', amount: 4_000n, reference: 'D2' });
    expect(await findingsOf(book)).toEqual([]);
    const [first, second] = await opened();
    expect(await moved(second!.id)).toMatchObject({ answer: { status: 200 }, balance: 3_000n });
    expect(await moved(first!.id)).toMatchObject({ answer: { status: 200 }, balance: 2_750n });
    expect(await money.balance(accountId)).toBe(0n);
    expect(await findingsOf(book)).toEqual([]);
  });

  test('verify finds money there that nobody was told of, by one', async () => {
    const { refund } = await refunded(releaseIn({ days: 0 }));
    await money.say(refund, late());
    expect(await findingsOf(book)).toEqual([]);
    await corrupt(database.superuserUrl, [
      `UPDATE exceptions SET amount = amount - 1 WHERE account_id = '${accountId}'`,
    ]);
    const found = await findingsOf(book);
    expect(found.map(({ check }) => check).sort()).toEqual(['account.closed', 'exception.waiting']);
    expect(found.find(({ check }) => check === 'account.closed')).toMatchObject({ actual: '9750 EUR' });
  });
});

test('verify finds what was given back or released before its day', async () => {
  await book.fund(accountId, 10_000n);
  const payment = await money.captured(accountId, 10_000n, { days: 1, onceSettled: false });
  const refund = await money.refunding(payment, 4_000n);
  await releaseAfter(2);
  await money.say(refund, FAILED);
  await money.dispute(payment, { kind: 'dispute_chargeback', amount: 20n });
  await money.dispute(payment, { kind: 'dispute_won' });
  expect(await money.balance(accountId)).toBe(10_000n + 2n * HALF);
  expect(await findingsOf(book)).toEqual([]);
  // As if it had been due a day later than it was credited.
  await corrupt(database.superuserUrl, [
    `UPDATE payment_shares SET available_on = (available_on::date + 3)::text WHERE account_id = '${accountId}'`,
  ]);
  expect((await findingsOf(book)).map(({ check }) => check)).toEqual([
    ...['payment_share.schedule', 'payment_share.schedule', 'payment.available_on', 'payment_share.early'],
  ]);
});

test.each([1, -1])(
  'verify finds portions of refunds and chargebacks that are off by %d; such a refund fails no further',
  async (unit) => {
    await book.fund(accountId, 1_000n);
    const payment = await money.captured(accountId, 10_000n, { days: 0, onceSettled: false });
    const [open, failed] = [await money.refunding(payment, 4_000n), await money.refunding(payment, 2_000n)];
    await money.say(failed, FAILED);
    const { dispute } = await money.dispute(payment, { kind: 'dispute_chargeback', amount: 20n });
    expect(await findingsOf(book)).toEqual([]);
    const ids = [open.id, failed.id, dispute!.id];
    const plant = (by: number) =>
      ['payment_operations', 'payment_disputes'].map(
        (table) =>
          `UPDATE ${table} SET portions = jsonb_set(portions, '{0,amount}', to_jsonb(((portions -> 0 ->> 'amount')::bigint + ${by})::text))
         WHERE id IN (${ids.map((id) => `'${id}'`).join()})`,
      );
    await corrupt(database.superuserUrl, plant(unit));
    const found = (await findingsOf(book)).filter(({ check }) => check === 'payment.portions');
    expect(found.map(({ ids: { refund, dispute: its } }) => refund ?? its).sort()).toEqual(
      [publicId('refund', open.id), publicId('refund', failed.id), publicId('dispute', dispute!.id)].sort(),
    );
    await expect(money.say(open, FAILED)).rejects.toThrow(/in portions/);
    await corrupt(database.superuserUrl, plant(-unit));
    await money.say(open, FAILED);
    expect(await findingsOf(book)).toEqual([]);
  },
);

test('a fee never exceeds its refund, and nothing stays in transit; verify finds one that does', async () => {
  await book.fund(accountId, 1_000n);
  const payment = await money.captured(accountId, 100_000n);
  const refunds: Uuid[] = [];
  for (let pair = 0; pair < 8; pair++)
    for (const amount of [39n, 1n]) refunds.push((await money.refunding(payment, amount)).id);
  for (const [at, id] of refunds.entries()) await money.say({ id }, at % 2 === 1 ? FAILED : { status: 'succeeded' });
  const one = await money.refunding(payment, 1n);
  expect(one).toMatchObject({ amount: 1n, fee: 1n });
  await money.say(one, { status: 'succeeded' });
  expect(await money.balance('refunds_in_transit')).toBe(0n);
  const rest = await money.refunding(payment, 40n);
  expect(rest.fee).toBe(7n);
  expect(await findingsOf(book)).toEqual([]);
  await corrupt(database.superuserUrl, [
    `UPDATE payment_operations SET fee = 2 WHERE id = '${one.id}'`,
    `UPDATE payments SET fee = fee - 1, fee_refunded = fee_refunded + 1 WHERE id = '${payment.id}'`,
  ]);
  expect(new Set((await findingsOf(book)).map(({ check }) => check))).toEqual(
    new Set(['account.equation', 'payment.fee', 'payment.portions']),
  );
  await corrupt(database.superuserUrl, [
    `UPDATE payment_operations SET fee = 1 WHERE id = '${one.id}'`,
    `UPDATE payments SET fee = fee + 1, fee_refunded = fee_refunded - 1 WHERE id = '${payment.id}'`,
    `UPDATE payment_operations SET status = 'succeeded' WHERE id = '${rest.id}'`,
    `UPDATE payments SET amount_refunding = 0, amount_refunded = amount_refunded + 40 WHERE id = '${payment.id}'`,
  ]);
  expect((await findingsOf(book)).map(({ check }) => check)).toContain('account.equation');
});
