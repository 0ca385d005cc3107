/** Refunds of payments whose captures are settled meanwhile: what waited in one share is in another, or with the customer. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isPassing } from '../../../src/db/postgres-errors.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { MoneyBack } from '../../support/money-back.ts';
import { settleAll } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let accountId: Uuid;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  money = new MoneyBack(book);
  accountId = await book.account();
});
afterEach(async () => {
  expect(await findingsOf(book)).toEqual([]);
  await book.close();
});
afterAll(async () => {
  await database?.drop();
});

const WAITING = { days: 3, onceSettled: true };

test('a refund that read before its capture was settled is refused for now, and finds the money the next time', async () => {
  const payment = await money.captured(accountId, 10_000n, WAITING);
  const early = await money.refundCommand(payment, 4_000n);
  await settleAll(book);
  const error = await book.submit(early).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'service_unavailable' });
  expect(isPassing(error)).toBe(true);
  expect(await money.refunding(payment, 4_000n)).toMatchObject({ portions: [{ amount: 3_900n }] });
});

test('a dispute takes what the payment earned, wherever it has moved', async () => {
  const payment = await money.captured(accountId, 10_000n, WAITING);
  const early = await money.disputeCommand(payment, { kind: 'dispute_chargeback', amount: 4_000n });
  await settleAll(book);
  await expect(book.submit(early)).rejects.toMatchObject({ code: 'service_unavailable' });
  const { dispute } = await money.dispute(payment, { kind: 'dispute_chargeback', amount: 4_000n });
  expect(dispute!.portions).toMatchObject([{ amount: 4_000n }]);
  expect(dispute!.portions[0]!.shareId).not.toBeNull();
});

describe('a refund that took what other payments wait for, and fails', () => {
  /** A payment whose money the customer has spent, and a refund of it that took 3,800 of what others wait for. */
  async function refunding() {
    const payment = await money.captured(accountId, 10_000n);
    await money.release(accountId);
    await book.accept({ accountId, amount: EARNED - 100n, fee: 0n });
    await settleAll(book);
    const other = await money.captured(accountId, 10_000n, WAITING);
    const refund = await money.refunding(payment, 4_000n);
    expect(refund.portions.map(({ amount }) => amount)).toEqual([100n, 3_800n]);
    return { refund, other, share: refund.portions[1]!.shareId! };
  }

  const EARNED = 9_740n;
  const FAILED = { status: 'declined', code: 'processing_error' } as const;
  const held = (share: Uuid) =>
    book.row<{ amount: bigint; lent: bigint }>(
      'SELECT amount, lent FROM payment_shares WHERE book_id = $1 AND id = $2',
      share,
    );

  test('gives back to their share while they wait in it', async () => {
    const { refund, share } = await refunding();
    expect(await held(share)).toEqual({ amount: EARNED - 3_800n, lent: 3_800n });
    await money.say(refund, FAILED);
    expect(await held(share)).toEqual({ amount: EARNED, lent: 0n });
    await settleAll(book);
    expect(await money.shares(accountId)).toEqual([EARNED, 0n]);
  });

  test('waits for their day once they were paid without it, even where new ones wait in the same share', async () => {
    const { refund, share } = await refunding();
    await settleAll(book);
    expect(await held(share)).toEqual({ amount: 0n, lent: 0n });
    await money.captured(accountId, 10_000n, WAITING);
    await money.say(refund, FAILED);
    expect(await held(share)).toEqual({ amount: EARNED, lent: 0n });
    await settleAll(book);
    // Nothing stays in the share that nobody moves any more.
    expect(await held(share)).toEqual({ amount: 0n, lent: 0n });
    expect(await money.balance(accountId)).toBe(EARNED);
    expect(await money.shares(accountId)).toEqual([2n * EARNED, 0n]);
  });

  test('leaves nothing behind where one of them is refunded and then settled', async () => {
    const { other, share } = await refunding();
    await money.refunding(other, 6_000n);
    expect(await held(share)).toEqual({ amount: EARNED - 3_800n - 5_850n, lent: 3_800n });
    await settleAll(book);
    expect(await held(share)).toEqual({ amount: 0n, lent: 0n });
  });
});

test('a refund that failed before its report was read is booked, given back by the next report, and neither twice', async () => {
  const reports = new Reports(book);
  const payment = await money.captured(accountId, 10_000n, WAITING);
  const refund = await money.refunding(payment, 4_000n);
  await money.say(refund, { status: 'succeeded' });
  const { reference } = await money.say(refund, {
    ...{ status: 'declined', code: 'processing_error' },
    ...{ call: 'notice', noticeId: newId(), isLate: true },
  });
  const paid = reports.lineOf(payment.authorization, { gross: 10_000n });
  const refunded = { type: 'refund' as const, gross: -4_000n, cost: 0n };
  await reports.settle([paid, reports.lineOf({ reference }, refunded)]);
  expect([await reports.exceptionKinds(), await reports.poolBalance()]).toEqual([[], 6_000n]);

  const givenBack = { ...refunded, type: 'refund_failed' as const, gross: 4_000n };
  await reports.settle([reports.lineOf({ reference }, givenBack)]);
  expect([await reports.exceptionKinds(), await reports.poolBalance()]).toEqual([[], 10_000n]);

  await reports.settle([reports.lineOf({ reference }, refunded), reports.lineOf({ reference }, givenBack)]);
  expect(await reports.exceptionKinds()).toEqual(['settlement_repeated', 'settlement_repeated']);
  expect(await reports.poolBalance()).toBe(10_000n);
});
