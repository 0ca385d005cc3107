/** What captures earn is never lost, whatever the schedules, and however it is refunded, disputed, settled and released. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReleaseSchedule } from '../../../src/calendar/release-schedule.ts';
import { newId, type Uuid } from '../../../src/values/ids.ts';
import { openBook, type TestBook } from '../../support/book.ts';
import { findingsOf } from '../../support/findings.ts';
import { type Captured, MoneyBack } from '../../support/money-back.ts';
import { settleAll } from '../../support/payments.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { runs } from '../../support/runs.ts';

let database: TestDatabase;
let book: TestBook;
let money: MoneyBack;
let accountId: Uuid;
let ahead = 0;
const clock = { now: () => Date.now() + ahead };
const DAY_MS = 86_400_000;
const FAILED = { status: 'declined', code: 'processing_error' } as const;

beforeAll(async () => {
  database = await createTestDatabase();
  book = await openBook({ database: database.applicationUrl, clock });
  money = new MoneyBack(book, clock);
});
afterAll(async () => {
  await book?.close();
  await database?.drop();
});

const schedule = fc.record({
  days: fc.integer({ min: 1, max: 20 }),
  unit: fc.constantFrom('days' as const, 'business_days' as const),
  calendar: fc.constantFrom('sat_sun' as const, 'fri_sat' as const, 'target2' as const),
  cutOff: fc.constantFrom(null, '00:00', '12:00', '23:59'),
  onceSettled: fc.boolean(),
  reserve: fc.option(
    fc.record({ basisPoints: fc.integer({ min: 1, max: 9_999 }), days: fc.integer({ min: 1, max: 60 }) }),
  ),
});

/** What becomes of a refund: it is under way, or ends; one that is under way or has succeeded may fail in a later step. */
type Fails = boolean | null;

type Step =
  | { readonly does: 'capture'; readonly amount: bigint; readonly by: ReleaseSchedule }
  | { readonly does: 'refund'; readonly of: number; readonly percent: bigint; readonly fails: Fails }
  | { readonly does: 'dispute'; readonly of: number; readonly amount: bigint }
  | { readonly does: 'back'; readonly of: number }
  | { readonly does: 'settle' }
  | { readonly does: 'wait'; readonly days: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('capture' as const), amount: fc.bigInt(11n, 50_000n), by: schedule }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('refund' as const),
      of: fc.nat(20),
      percent: fc.bigInt(1n, 100n),
      fails: fc.option(fc.boolean()),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('dispute' as const), of: fc.nat(20), amount: fc.bigInt(1n, 9_000n) }),
  },
  // Something that was taken comes back, long after it was taken.
  { weight: 4, arbitrary: fc.record({ does: fc.constant('back' as const), of: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('settle' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 30 }) }) },
);

/** What may come back: refunds by id, disputes by the acquirer's reference. */
type Taken = { readonly refund: Uuid } | { readonly dispute: string; readonly of: Captured };

async function giveBack(taken: Taken[], at: number): Promise<void> {
  const [one] = taken.splice(at % Math.max(taken.length, 1), 1);
  if (!one) return;
  if ('dispute' in one) await money.dispute(one.of, { kind: 'dispute_won', reference: one.dispute });
  else {
    const { status } = await money.operation(one.refund);
    const late = { call: 'notice', noticeId: newId(), isLate: true } as const;
    await money.say({ id: one.refund }, { ...FAILED, ...(status === 'succeeded' ? late : {}) });
  }
}

async function take({ captured, taken }: { captured: Captured[]; taken: Taken[] }, one: Step): Promise<void> {
  if (one.does === 'back') return giveBack(taken, one.of);
  if (one.does === 'capture') {
    captured.push(await money.captured(accountId, one.amount, one.by));
    return;
  }
  if (one.does === 'settle') return settleAll(book);
  if (one.does === 'wait') {
    ahead += one.days * DAY_MS;
    await money.release(accountId);
    return;
  }
  const payment = captured[one.of % Math.max(captured.length, 1)];
  if (!payment) return;
  if (one.does === 'dispute') {
    const reference = newId();
    const { dispute } = await money.dispute(payment, { kind: 'dispute_chargeback', amount: one.amount, reference });
    if (dispute) taken.push({ dispute: reference, of: payment });
    return;
  }
  const { amountCaptured, amountRefunded, amountRefunding, amountDisputed } = await money.payment(payment);
  const amount = ((amountCaptured - amountRefunded - amountRefunding - amountDisputed) * one.percent) / 100n;
  if (amount <= 0n) return;
  const answer = await money.refund(payment, amount);
  if (!('resourceId' in answer)) return;
  if (one.fails !== true) taken.push({ refund: answer.resourceId! });
  if (one.fails !== null) await money.say({ id: answer.resourceId! }, one.fails ? FAILED : { status: 'succeeded' });
}

/** What captures earned, and where it is: in open shares, with the customer, or back with payers. */
async function whereItIs() {
  const found = await book.row<{ earned: bigint; waiting: bigint; refunded: bigint; disputed: bigint }>(
    `SELECT
       (SELECT coalesce(sum(amount - fee), 0)::bigint FROM payment_operations
         WHERE book_id = $1 AND account_id = $2 AND kind = 'capture' AND status = 'succeeded') AS earned,
       (SELECT coalesce(sum(amount - fee), 0)::bigint FROM payment_operations
         WHERE book_id = $1 AND account_id = $2 AND kind = 'refund' AND status <> 'failed') AS refunded,
       (SELECT coalesce(sum(amount), 0)::bigint FROM payment_disputes
         WHERE book_id = $1 AND account_id = $2 AND status <> 'won') AS disputed,
       (SELECT coalesce(sum(amount), 0)::bigint FROM payment_shares
         WHERE book_id = $1 AND account_id = $2 AND status = 'open') AS waiting`,
    accountId,
  );
  return { ...found, released: await money.balance(accountId) };
}

test('by any schedules, what captures earned is waiting, released or back with payers, to the unit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 18 }), async (steps) => {
      accountId = await book.account();
      const so = { captured: [], taken: [] };
      for (const one of steps) await take(so, one);
      const { earned, waiting, released, refunded, disputed } = await whereItIs();
      expect(waiting + released + refunded + disputed).toBe(earned);
      // In the end nothing waits.
      await settleAll(book);
      ahead += 120 * DAY_MS;
      await money.release(accountId);
      const end = await whereItIs();
      expect(end).toMatchObject({ waiting: 0n, released: earned - refunded - disputed });
    }),
    { numRuns: runs(20) },
  );
  expect(await findingsOf(book)).toEqual([]);
});
