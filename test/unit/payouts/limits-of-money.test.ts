import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/ledger/account/account.ts';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { type ChartCode, chartAccountId, newAccount } from '../../../src/ledger/account/chart.ts';
import { INTAKE_TOTAL, lifetimeTotal, RESERVE_TOTAL } from '../../../src/ledger/command/lifetime-total.ts';
import { MAX_REQUEST_AMOUNT, MAX_TOTAL } from '../../../src/money/amount.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';
import { runs } from '../../support/runs.ts';

let scene: PayoutScene;
beforeEach(() => {
  scene = new PayoutScene();
});

/** Sets the totals of a chart account. */
function passed(code: ChartCode, change: Partial<Account>, of = scene): void {
  const id = chartAccountId(of.bookId, code, 'EUR');
  of.memory.put(accounts, id, { ...newAccount(id, code, 'EUR'), ...change });
}
const both = (total: bigint) => ({ postedDebits: total, postedCredits: total });
const toTarget = () => ({ destination: { type: 'account' as const, accountId: scene.target }, rail: 'book' });

describe('intake ends when the total of an account reaches 2^61', () => {
  // A payout of 1,000 with a fee of 5.
  const LAST = INTAKE_TOTAL - 1_005n;
  test.each`
    account                 | change        | to_another | prepare
    ${'the source'}         | ${() => ({})} | ${false}   | ${(total: bigint) => scene.change(scene.source, { postedDebits: total - 10_000n, postedCredits: total })}
    ${'what is held on it'} | ${() => ({})} | ${false}   | ${(total: bigint) => scene.change(scene.source, { postedDebits: total - 10_000n, heldDebits: 10_000n, postedCredits: total + 0n, floor: null })}
    ${'the payee'}          | ${toTarget}   | ${true}    | ${(total: bigint) => scene.change(scene.target, both(total))}
    ${'transit'}            | ${() => ({})} | ${false}   | ${(total: bigint) => passed('payouts_in_transit', both(total))}
    ${'the pool'}           | ${() => ({})} | ${false}   | ${(total: bigint) => passed('pool', { postedDebits: total })}
    ${'due to operator'}    | ${() => ({})} | ${false}   | ${(total: bigint) => passed('due_operator', { postedCredits: total })}
  `('$account', ({ change, prepare }) => {
    prepare(LAST);
    expect(scene.memory.answer(scene.accepting(change()))).toMatchObject({ resource: 'payout' });
    scene = new PayoutScene();
    prepare(LAST + 1n);
    expect(scene.memory.answer(scene.accepting(change()))).toMatchObject({
      refused: 'limit_exceeded',
      param: '/amount',
      facts: { limit: INTAKE_TOTAL, currency: 'EUR' },
    });
  });

  test('an account that the payout does not use does not count', () => {
    passed('pool', { postedDebits: INTAKE_TOTAL });
    passed('due_operator', { postedCredits: INTAKE_TOTAL });
    expect(scene.memory.answer(scene.accepting({ ...toTarget(), fee: 0n }))).toMatchObject({ resource: 'payout' });
  });
});

test('accepted before transit was full: the payout fails, and its hold is released', () => {
  const payout = scene.accepted();
  passed('payouts_in_transit', both(RESERVE_TOTAL - 999n));
  expect(scene.reserve(payout)).toMatchObject({ status: 'failed', failureCode: 'limit_exceeded', sentAt: null });
  expect(scene.memory.account(scene.source)).toMatchObject({ heldDebits: 0n, postedDebits: 0n });
});

test('whatever a rail reports, every accepted payout ends, and no account overflows', () => {
  const steps = fc.array(fc.constantFrom('reserve', 'paid', 'rejected', 'pending', 'unknown', 'return', 'cancel'), {
    minLength: 4,
    maxLength: 14,
  });
  const amount = fc.bigInt({ min: 1n, max: MAX_REQUEST_AMOUNT });
  // Close to a limit, or anywhere below.
  const total = fc.oneof(
    fc.bigInt({ min: 0n, max: INTAKE_TOTAL }),
    fc.bigInt({ min: 0n, max: 1_000n }).map((less) => INTAKE_TOTAL - less),
  );
  const reserved = fc.oneof(
    total,
    fc.bigInt({ min: 0n, max: 1_000n }).map((less) => RESERVE_TOTAL - less),
  );
  fc.assert(
    fc.property(
      fc.record({ source: total, pool: total, transit: total, later: reserved, within: fc.boolean() }),
      fc.array(fc.record({ amount, steps }), { minLength: 1, maxLength: 6 }),
      (begins, payouts) => {
        const of = new PayoutScene();
        // Intake limits the total debits of the pool. Its credits come from transit.
        of.change(of.source, { postedDebits: begins.source, postedCredits: begins.source, floor: -INTAKE_TOTAL });
        passed('pool', { postedDebits: begins.pool }, of);
        passed('payouts_in_transit', both(begins.transit), of);
        const made: { payout: Payout; steps: readonly string[] }[] = [];
        for (const one of payouts) {
          const to = begins.within
            ? { destination: { type: 'account' as const, accountId: of.target }, rail: 'book' }
            : {};
          const answer = of.memory.answer(of.accepting({ amount: one.amount, fee: one.amount / 200n, ...to }));
          if (answer.refused) expect(answer.refused).toMatch(/limit_exceeded|insufficient_funds/);
          else made.push({ payout: of.lastPayout(), steps: one.steps });
        }
        if (begins.later > begins.transit) passed('payouts_in_transit', both(begins.later), of);
        for (const { payout, steps: list } of made) for (const step of list) take(of, step, payout);
        for (const { payout } of made) {
          of.reserve(of.now(payout));
          of.settle(of.now(payout), { status: 'paid' });
          expect(['paid', 'failed', 'canceled', 'returned']).toContain(of.now(payout).status);
        }
        for (const account of of.memory.rows(accounts).values())
          expect(account.postedDebits <= MAX_TOTAL && account.postedCredits <= MAX_TOTAL).toBe(true);
        expect(lifetimeTotal(of.memory.account(of.source))).toBeLessThan(2n ** 63n);
      },
    ),
    { numRuns: runs(300) },
  );
});

function take(of: PayoutScene, step: string, payout: Payout): void {
  const now = of.now(payout);
  if (step === 'reserve') of.reserve(now);
  else if (step === 'cancel') of.cancel(now);
  else if (step === 'unknown') of.unknown(now);
  else if (step === 'return') of.giveBack(now, now.amount - now.amountReturned || 1n);
  else of.settle(now, { status: step as 'paid' | 'rejected' | 'pending' });
}
