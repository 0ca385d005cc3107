/** Limits of payouts: the scenarios of the product, and what a counter has after every step. */
import { beforeEach, describe, expect, test } from 'vitest';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { newAccount } from '../../../src/ledger/account/chart.ts';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { counted, newPayoutCounter, onDay, usagesOf } from '../../../src/payouts/limits/payout-counter.ts';
import { payoutCounterId, payoutCounters } from '../../../src/payouts/limits/payout-counter-table.ts';
import type { AcceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { UNROUTED } from '../../../src/payouts/routing/route-payout.ts';
import type { PayoutLimits } from '../../../src/rails/settings/rail-settings.ts';
import { newId } from '../../../src/values/ids.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

const NO_LIMITS: PayoutLimits = { payout: null, day: null, month: null };
const at = (time: string) => Date.parse(time);

let scene: PayoutScene;
let source: string;

function begin(timeZone: string, now: string): void {
  scene = new PayoutScene();
  scene.memory.book = { ...scene.memory.book, timeZone };
  scene.memory.now = at(now);
  source = newId();
  scene.memory.put(accounts, source, { ...newAccount(source, 'customer', 'JOD'), postedCredits: 100_000_000n });
}

/** In JOD, with the fee of the scenarios: 50 basis points, half to even. */
const paying = (amount: bigint, fee: bigint, limits: Partial<PayoutLimits>): Partial<AcceptPayout> => ({
  accountId: source,
  currency: 'JOD',
  amount,
  fee,
  routing: { ...UNROUTED, rail: 'sandbox', limits: { ...NO_LIMITS, ...limits } },
});
const pay = (amount: bigint, fee: bigint, limits: Partial<PayoutLimits>) => scene.accepted(paying(amount, fee, limits));
const attempt = (amount: bigint, fee: bigint, limits: Partial<PayoutLimits>) =>
  scene.memory.answer(scene.accepting(paying(amount, fee, limits)));
const counter = () => scene.memory.rows(payoutCounters).get(payoutCounterId(scene.bookId, 'JOD'));

describe('the scenarios', () => {
  test('C1: a day ends at midnight of the book, and the first payout after it counts to the next', () => {
    begin('Asia/Amman', '2027-01-10T12:00:00Z');
    const limits = { day: 10_000_000n };
    pay(9_990_000n, 49_950n, limits);
    scene.memory.now = at('2027-01-10T20:59:59.999Z');
    const before = scene.memory.dump();
    expect(attempt(15_000n, 75n, limits)).toMatchObject({
      refused: 'limit_exceeded',
      param: '/amount',
      facts: {
        window: 'day',
        currency: 'JOD',
        limit: 10_000_000n,
        used: 9_990_000n,
        remaining: 10_000n,
        resets_at: '2027-01-10T21:00:00.000Z',
      },
    });
    expect(scene.memory.dump()).toEqual(before);
    scene.memory.now = at('2027-01-10T21:00:00.000Z');
    const payout = pay(15_000n, 75n, limits);
    expect(payout).toMatchObject({ status: 'pending', countedOn: '2027-01-11' });
    expect(scene.memory.get(holds, payout.holdId).amount).toBe(15_075n);
    expect(counter()).toMatchObject({ day: '2027-01-11', dayAmount: 15_000n, monthAmount: 10_005_000n });
  });

  test('C2: both hours that read 02:30 are of one day, which has 25 hours', () => {
    begin('Europe/Berlin', '2027-10-31T00:30:00Z');
    const limits = { day: 30_000n };
    expect(pay(10_000n, 50n, limits).countedOn).toBe('2027-10-31');
    scene.memory.now = at('2027-10-31T01:30:00Z');
    expect(pay(10_000n, 50n, limits).countedOn).toBe('2027-10-31');
    scene.memory.now = at('2027-10-31T22:59:59.999Z');
    expect(attempt(10_001n, 50n, limits)).toMatchObject({
      facts: { used: 20_000n, resets_at: '2027-10-31T23:00:00.000Z' },
    });
    expect(counter()).toMatchObject({ day: '2027-10-31', dayAmount: 20_000n });
  });

  test('C2: that day begins at 22:00 UTC of the day before', () => {
    begin('Europe/Berlin', '2027-10-30T21:59:59.999Z');
    expect(pay(10_000n, 50n, { day: 30_000n }).countedOn).toBe('2027-10-30');
    scene.memory.now = at('2027-10-30T22:00:00Z');
    expect(pay(10_000n, 50n, { day: 30_000n }).countedOn).toBe('2027-10-31');
  });

  test('C3: what counted in January and fails in February gives nothing back to February', () => {
    begin('Asia/Amman', '2027-01-31T12:00:00Z');
    const limits = { day: 10_000n, month: 100_000n };
    const payout = scene.reserve(pay(5_124n, 26n, limits));
    scene.memory.now = at('2027-02-02T12:00:00Z');
    pay(3_000n, 15n, limits);
    expect(scene.settle(payout, { status: 'rejected' }).status).toBe('failed');
    expect(counter()).toMatchObject({ day: '2027-02-02', dayAmount: 3_000n, monthAmount: 3_000n });
  });

  test('C3: while nothing else has counted, the day and month that it counted in have room again', () => {
    begin('Asia/Amman', '2027-01-31T12:00:00Z');
    const limits = { day: 10_000n, month: 100_000n };
    pay(1_000n, 5n, limits);
    const payout = scene.reserve(pay(5_124n, 26n, limits));
    scene.memory.now = at('2027-02-02T12:00:00Z');
    scene.settle(payout, { status: 'rejected' });
    expect(counter()).toMatchObject({ day: '2027-01-31', dayAmount: 1_000n, monthAmount: 1_000n });
  });

  test('C4: of two payouts of all that remains, one is accepted', () => {
    begin('UTC', '2027-01-10T12:00:00Z');
    const both = [0, 1].map(() => scene.accepting(paying(5_124n, 26n, { day: 5_124n })));
    expect(scene.memory.run(both)).toMatchObject([
      { answer: { status: 202 } },
      { answer: { refused: 'limit_exceeded', facts: { used: 5_124n, remaining: 0n } } },
    ]);
    expect(scene.memory.rows(holds).size).toBe(1);
  });
});

describe('a payout', () => {
  beforeEach(() => begin('UTC', '2027-01-10T12:00:00Z'));
  const LIMITS = { day: 10_000n, month: 10_000n };

  test.each`
    amount    | limits                             | window
    ${1_001n} | ${{ payout: 1_000n, day: 1_000n }} | ${'payout'}
    ${1_001n} | ${{ day: 1_000n, month: 1_000n }}  | ${'day'}
    ${1_001n} | ${{ day: 2_000n, month: 1_000n }}  | ${'month'}
  `('of $amount is refused by the limit of its $window', ({ amount, limits, window }) => {
    expect(attempt(amount, 5n, limits)).toMatchObject({ refused: 'limit_exceeded', facts: { window } });
  });

  test('of exactly the limit is accepted', () => {
    expect(pay(1_000n, 5n, { payout: 1_000n, day: 1_000n, month: 1_000n }).status).toBe('pending');
  });

  test('is limited before its funds are asked for', () => {
    expect(attempt(200_000_000n, 5n, LIMITS)).toMatchObject({ refused: 'limit_exceeded' });
  });

  test('without funds counts nothing', () => {
    expect(attempt(200_000_000n, 5n, { day: 300_000_000n })).toMatchObject({ refused: 'insufficient_funds' });
    expect(counter()).toBeUndefined();
  });

  test.each([NO_LIMITS, { ...NO_LIMITS, payout: 10_000n }])(
    'without a limit of a day or month touches no counter',
    (limits) => {
      const command = scene.accepting(paying(1_000n, 5n, limits));
      expect(command.touches.some(({ table }) => table.name === 'payout_counters')).toBe(false);
      expect(pay(1_000n, 5n, limits).countedOn).toBeNull();
      expect(counter()).toBeUndefined();
    },
  );

  test.each<[string, () => unknown, bigint]>([
    ['pending', () => pay(5_124n, 26n, LIMITS), 5_124n],
    ['processing', () => scene.reserve(pay(5_124n, 26n, LIMITS)), 5_124n],
    ['paid', () => scene.settle(scene.reserve(pay(5_124n, 26n, LIMITS)), { status: 'paid' }), 5_124n],
    ['unknown', () => scene.unknown(scene.reserve(pay(5_124n, 26n, LIMITS))), 5_124n],
    ['canceled', () => scene.cancel(pay(5_124n, 26n, LIMITS)), 0n],
    ['failed', () => scene.settle(scene.reserve(pay(5_124n, 26n, LIMITS)), { status: 'rejected' }), 0n],
    [
      'returned',
      () => scene.giveBack(scene.settle(scene.reserve(pay(5_124n, 26n, LIMITS)), { status: 'paid' }), 5_124n),
      5_124n,
    ],
    [
      'paid after it failed',
      () => {
        const failed = scene.settle(scene.reserve(pay(5_124n, 26n, LIMITS)), { status: 'rejected' });
        return scene.settle(failed, { status: 'paid' });
      },
      5_124n,
    ],
    [
      'failed because its account was frozen',
      () => {
        const payout = pay(5_124n, 26n, LIMITS);
        scene.change(source, { status: 'frozen' });
        return scene.reserve(payout);
      },
      0n,
    ],
  ])('that is %s counts as it should', (_, live, expected) => {
    live();
    expect(counter()).toMatchObject({ day: '2027-01-10', dayAmount: expected, monthAmount: expected });
  });

  test('gives back although its limit is gone', () => {
    const payout = pay(5_124n, 26n, LIMITS);
    pay(1_000n, 5n, {});
    scene.cancel(payout);
    expect(counter()).toMatchObject({ dayAmount: 0n });
  });

  test('in another currency counts apart', () => {
    pay(5_124n, 26n, LIMITS);
    const euros = { amount: 1_000n, routing: { ...UNROUTED, rail: 'sandbox', limits: { ...NO_LIMITS, day: 1_000n } } };
    expect(scene.accepted(euros).countedOn).toBe('2027-01-10');
    expect(counter()).toMatchObject({ dayAmount: 5_124n });
    expect(scene.memory.rows(payoutCounters).size).toBe(2);
  });

  test('as a dry run counts nothing, and is refused likewise', () => {
    scene.memory.answer(scene.accepting({ ...paying(1_000n, 5n, LIMITS), dryRun: true }));
    expect(counter()).toBeUndefined();
    expect(scene.memory.answer(scene.accepting({ ...paying(10_001n, 5n, LIMITS), dryRun: true }))).toMatchObject({
      refused: 'limit_exceeded',
    });
  });
});

describe('a counter', () => {
  const COUNTER = { ...newPayoutCounter('JOD', '2027-01-30'), dayAmount: 5n, monthAmount: 7n };

  test.each`
    day             | expected
    ${'2027-01-29'} | ${{ day: '2027-01-30', dayAmount: 5n, monthAmount: 7n }}
    ${'2027-01-30'} | ${{ day: '2027-01-30', dayAmount: 5n, monthAmount: 7n }}
    ${'2027-01-31'} | ${{ day: '2027-01-31', dayAmount: 0n, monthAmount: 7n }}
    ${'2027-02-01'} | ${{ day: '2027-02-01', dayAmount: 0n, monthAmount: 0n }}
    ${'2028-01-30'} | ${{ day: '2028-01-30', dayAmount: 0n, monthAmount: 0n }}
  `('stands on $day', ({ day, expected }) => {
    expect(onDay(COUNTER, day)).toMatchObject(expected);
  });

  test.each`
    day             | expected
    ${'2027-01-30'} | ${{ dayAmount: 2n, monthAmount: 4n }}
    ${'2027-01-02'} | ${{ dayAmount: 5n, monthAmount: 4n }}
    ${'2026-12-30'} | ${{ dayAmount: 5n, monthAmount: 7n }}
    ${'2026-01-30'} | ${{ dayAmount: 5n, monthAmount: 7n }}
  `('is given back to by what counted on $day', ({ day, expected }) => {
    expect(counted(COUNTER, -3n, day)).toMatchObject(expected);
  });

  test('shows more used than a limit that was lowered', () => {
    expect(usagesOf({ ...NO_LIMITS, day: 1n }, COUNTER, 'UTC')).toMatchObject([{ window: 'day', limit: 1n, used: 5n }]);
  });
});
