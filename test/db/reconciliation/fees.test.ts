/** Collections of fees on a real Postgres: when they begin, what each takes, and that each is one. 49 is a row of the golden scenarios. */
import { describe, expect, test } from 'vitest';
import { createPool } from '../../../src/db/pool.ts';
import { GROUPS } from '../../../src/groups.ts';
import { type AdvanceRuntime, advanceClock, runAdvance } from '../../../src/journal/advance-clock.ts';
import { keepAppointments } from '../../../src/journal/keep-appointments.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { createLogger } from '../../../src/process/log.ts';
import { beginFeeDays, sweepFeeDays } from '../../../src/reconciliation/fees/begin-fee-days.ts';
import { collectFees, feesOfDays } from '../../../src/reconciliation/fees/collect-fees.ts';
import type { FeeCollection } from '../../../src/reconciliation/fees/fee-collection.ts';
import { feeCollections, feeDays } from '../../../src/reconciliation/fees/fee-collection-table.ts';
import { mirrorAllBooks } from '../../../src/reconciliation/mirror/mirror-books.ts';
import { newId } from '../../../src/values/ids.ts';
import type { OperatorsBank } from '../../support/bank-statements.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { eachBank } from '../../support/each-bank.ts';
import { findingsOf } from '../../support/findings.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { MoneyBack } from '../../support/money-back.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { sweeping } from '../../support/swept-jobs.ts';
import { WITHOUT_RAILS } from '../../support/without-rails.ts';

const DAY_MS = 86_400_000;
const TAX = new Map([
  ['JOD', 1_600],
  ['EUR', 1_600],
]);

let database: TestDatabase;
let bank: OperatorsBank;
let now: number;
const clock = { now: () => now };
let book: TestBook;
eachBank(
  async (opened) => {
    ({ bank, database } = opened);
    now = Date.UTC(2026, 10, 3, 10);
    book = await openBook({ database: bank.pool, forms: LATEST_FORMS, clock });
  },
  { books: () => [book] },
);

/** A payout that is paid: its fee is due to the operator. */
async function owe(fee: bigint, currency = 'JOD', among = book): Promise<void> {
  const accountId = await among.account({ currency, amount: 100_000n });
  const payout = await among.reserve(await among.accept({ accountId, amount: 1_000n, fee, currency }));
  await among.settle(payout, {});
}

const dueId = (currency: string, among = book) => chartAccountId(among.id, 'due_operator', currency);
const begin = (currency = 'JOD') => beginFeeDays(book, book.id, [dueId(currency)]);

async function collect(among = book, currency = 'JOD'): Promise<number> {
  const known = await feeDays.load(bank.pool, among.id, [dueId(currency, among)]);
  return among.submit(collectFees(among.id, [...known.values()], TAX));
}

async function balances(currency = 'JOD'): Promise<{ due: bigint; pool: bigint }> {
  return book.row(
    `SELECT COALESCE(sum(posted_credits - posted_debits) FILTER (WHERE code = 'due_operator'), 0)::bigint AS due,
       COALESCE(sum(posted_debits - posted_credits) FILTER (WHERE code = 'pool'), 0)::bigint AS pool
     FROM accounts WHERE book_id = $1 AND currency = $2`,
    currency,
  );
}

async function collected(): Promise<FeeCollection[]> {
  const rows = await book.rows(
    `SELECT ${feeCollections.selected()} FROM fee_collections WHERE book_id = $1 ORDER BY id`,
  );
  return rows.map(feeCollections.fromRow);
}

test('49: what is due is collected when the day is over, with the tax that it contains', async () => {
  await owe(1_250n);
  await begin();
  const before = await balances();
  expect(before.due).toBe(1_250n);
  expect(await collect()).toBe(0);
  now += DAY_MS;
  expect(await collect()).toBe(1);
  expect(await balances()).toEqual({ due: 0n, pool: before.pool - 1_250n });
  expect(await collected()).toMatchObject([
    { day: '2026-11-03', currency: 'JOD', amount: 1_250n, tax: 172n, taxBasisPoints: 1_600 },
  ]);
  expect(await collect()).toBe(0);
  await bank.account();
  const atBank = GROUPS.flatMap(({ atBank: words = [] }) => words);
  await mirrorAllBooks({ pool: bank.pool, committer: bank.book.committer, atBank }, bank.book.id);
  const { fees, tax_payable: tax, pool_owed: owed } = await bank.balances();
  expect({ fees, tax, owed }).toEqual({ fees: 1_078n, tax: 172n, owed: before.pool - 1_250n });
  expect(await findingsOf({ pool: bank.pool, id: bank.book.id })).toEqual([]);
});

test('each day is one, a day without fees has none, and what is due later is of the next one', async () => {
  await owe(100n);
  await begin();
  now += DAY_MS;
  await collect();
  now += DAY_MS;
  expect(await collect()).toBe(0);
  await owe(7n);
  now += 3 * DAY_MS;
  expect(await collect()).toBe(1);
  expect((await collected()).map(({ day, amount, tax }) => [day, amount, tax])).toEqual([
    ['2026-11-03', 100n, 14n],
    ['2026-11-07', 7n, 1n],
  ]);
});

test('a day on which more is given back than earned reverses both', async () => {
  const money = new MoneyBack(book, clock);
  const accountId = await book.account({ amount: 100_000n });
  const payment = await money.captured(accountId, 20_000n);
  await begin('EUR');
  now += DAY_MS;
  await collect(book, 'EUR');
  const refund = await money.refunding(payment);
  await money.say(refund, { status: 'succeeded' });
  const { due, pool } = await balances('EUR');
  expect(due).toBe(-500n);
  now += DAY_MS;
  await collect(book, 'EUR');
  expect(await balances('EUR')).toEqual({ due: 0n, pool: pool + 500n });
  expect((await collected()).map(({ amount, tax }) => [amount, tax])).toEqual([
    [510n, 70n],
    [-500n, -69n],
  ]);
});

test('two processes collect a day once', async () => {
  await owe(1_250n);
  await begin();
  now += DAY_MS;
  const other = await openBook({ database: bank.pool, bookId: book.id, forms: LATEST_FORMS, clock });
  const known = [...(await feeDays.load(bank.pool, book.id, [dueId('JOD')])).values()];
  const both = [book, other].map((one) => one.submit(collectFees(book.id, known, TAX)));
  expect((await Promise.all(both)).toSorted()).toEqual([0, 1]);
  expect(await collected()).toHaveLength(1);
  await other.close();
});

describe('collections begin', () => {
  const swept = () => sweeping(sweepFeeDays, { pool: bank.pool, clock });

  test('with the first bank account of the mode, and with the first fee of a book after it', async () => {
    await owe(1_250n);
    const sweep = swept();
    expect(await sweep()).toEqual([]);
    await bank.account();
    expect(await sweep()).toEqual([{ job: 'fee.begin', bookId: book.id, ids: [dueId('JOD')] }]);
    await begin();
    await begin();
    now += 60_000;
    expect(await sweep()).toEqual([]);
    await owe(30n, 'USD');
    now += 60_000;
    expect(await sweep()).toEqual([{ job: 'fee.begin', bookId: book.id, ids: [dueId('USD')] }]);
  });

  test('in that mode alone', async () => {
    const live = await openBook({ database: bank.pool, mode: 'live', forms: LATEST_FORMS, clock });
    await owe(5n, 'JOD', live);
    await bank.account();
    expect(await swept()()).toEqual([]);
    await live.close();
  });
});

test('a clock that is advanced collects each day on its way', async () => {
  await owe(1_250n);
  await begin();
  const stuck: unknown[] = [];
  const runtime = {
    ...{ pool: bank.pool, committer: book.committer, appointments: [feesOfDays] },
    ...{ enqueuer: { enqueue: () => undefined }, ...WITHOUT_RAILS, feeTax: TAX },
    rowFailed: async (_: unknown, __: unknown, error: unknown) => stuck.push(error) > 0,
  } as unknown as AdvanceRuntime;
  const target = now + 3 * DAY_MS;
  await book.submit(advanceClock({ bookId: book.id, targetFrom: () => target, requestId: newId(), actor: 'test' }));
  await runAdvance(runtime, book.id);
  expect(stuck).toEqual([]);
  const [row] = await collected();
  expect(row).toMatchObject({ day: '2026-11-03', amount: 1_250n });
  expect(new Date(row!.createdAt).toISOString()).toBe('2026-11-04T00:00:00.000Z');
  await owe(9n);
  await keepAppointments(runtime, feesOfDays, { bookId: book.id, ids: [dueId('JOD')] });
  expect(await collected()).toHaveLength(1);
});

test('a tax that does not follow from its percentage is a finding', async () => {
  await owe(1_250n);
  await begin();
  now += DAY_MS;
  await collect();
  const owner = createPool({ url: database.superuserUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  const change = (tax: number) => owner.query('UPDATE fee_collections SET tax = $1 WHERE book_id = $2', [tax, book.id]);
  await change(171);
  expect((await findingsOf({ pool: bank.pool, id: book.id })).map(({ check }) => check)).toEqual([
    'fee_collection.tax',
  ]);
  await change(172);
  await owner.end();
});
