/** Lines of reports about disputes: each is booked once, against the dispute that it is of. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Dispute } from '../../../src/payments/disputes/dispute.ts';
import { disputes } from '../../../src/payments/disputes/dispute-table.ts';
import type { Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { type Captured, MoneyBack } from '../../support/money-back.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { Reports } from '../../support/reports.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let reports: Reports;
let payment: Captured;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  book = await openBook({ database: database.applicationUrl });
  money = new MoneyBack(book);
  reports = new Reports(book);
  payment = await money.captured(await book.account(), 10_000n);
  return async () => {
    expect(await findingsOf(book)).toEqual([]);
    await book.close();
  };
});
afterAll(async () => {
  await database?.drop();
});

const taken = (gross: bigint) => reports.lineOf(payment.authorization, { type: 'dispute', gross: -gross, cost: 0n });
const won = (gross: bigint) => reports.lineOf(payment.authorization, { type: 'dispute_won', gross, cost: 0n });
const opened = async (amount: bigint, reference: string) => {
  const { dispute } = await money.dispute(payment, { kind: 'dispute_chargeback', amount, reference });
  return dispute!.id;
};
const read = (id: Uuid) => disputes.find(book.pool, book.id, id) as Promise<Dispute>;
const isSettled = async (id: Uuid) => {
  const { settledAt, wonSettledAt } = await read(id);
  return [settledAt !== null, wonSettledAt !== null];
};

test('what a dispute took is booked once, however often it comes', async () => {
  const dispute = await opened(4_000n, 'D1');
  await reports.settle([taken(4_000n)]);
  expect(await isSettled(dispute)).toEqual([true, false]);
  expect(await reports.poolBalance()).toBe(-4_000n);
  await reports.settle([taken(4_000n), taken(4_000n)]);
  expect(await reports.exceptionKinds()).toEqual(['settlement_repeated', 'settlement_repeated']);
  expect(await reports.poolBalance()).toBe(-4_000n);
});

test('what a won dispute gave back is booked once, beside what it took', async () => {
  const dispute = await opened(4_000n, 'D1');
  await money.dispute(payment, { kind: 'dispute_won', reference: 'D1' });
  await reports.settle([won(4_000n)]);
  expect(await isSettled(dispute)).toEqual([false, true]);
  await reports.settle([taken(4_000n), won(4_000n)]);
  expect(await isSettled(dispute)).toEqual([true, true]);
  expect(await reports.exceptionKinds()).toEqual(['settlement_repeated']);
  expect(await reports.poolBalance()).toBe(0n);
});

test('two disputes of one amount are two lines, in one report or in several', async () => {
  const both = [await opened(3_000n, 'D1'), await opened(3_000n, 'D2')];
  await reports.settle([taken(3_000n), taken(3_000n), taken(3_000n)]);
  expect(await Promise.all(both.map(isSettled))).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(await reports.exceptionKinds()).toEqual(['settlement_repeated']);
  expect(await reports.poolBalance()).toBe(-6_000n);
});

describe('is an exception, and nothing of it is booked:', () => {
  test('a dispute that nobody told of', async () => {
    await reports.settle([taken(4_000n), won(4_000n)]);
    expect(await reports.exceptionKinds()).toEqual(['settlement_reference_unknown', 'settlement_reference_unknown']);
    expect(await reports.poolBalance()).toBe(0n);
  });

  test('an inquiry, which has taken nothing', async () => {
    await money.dispute(payment, { kind: 'dispute_inquiry', amount: 4_000n, reference: 'D1' });
    await reports.settle([taken(4_000n)]);
    expect(await reports.exceptionKinds()).toEqual(['settlement_reference_unknown']);
  });

  test('another amount than the dispute is of', async () => {
    const dispute = await opened(4_000n, 'D1');
    await reports.settle([taken(4_001n)]);
    expect(await reports.exceptionKinds()).toEqual(['settlement_amount_mismatch']);
    expect(await isSettled(dispute)).toEqual([false, false]);
  });

  test.each([-99_999n, -1n, 4_001n])('a cost of %d on a line of 4,000', async (cost) => {
    const dispute = await opened(4_000n, 'D1');
    await money.dispute(payment, { kind: 'dispute_won', reference: 'D1' });
    await reports.settle([taken(4_000n), won(4_000n)].map((line) => ({ ...line, cost })));
    expect(await reports.exceptionKinds()).toEqual(['settlement_cost_mismatch', 'settlement_cost_mismatch']);
    expect(await isSettled(dispute)).toEqual([false, false]);
    expect(await reports.poolBalance()).toBe(0n);
  });

  test('a dispute that is not won', async () => {
    await opened(4_000n, 'D1');
    await reports.settle([won(4_000n)]);
    expect(await reports.exceptionKinds()).toEqual(['settlement_not_succeeded']);
  });
});
