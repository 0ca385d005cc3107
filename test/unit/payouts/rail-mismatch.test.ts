/**
 * A rail's report is compared with the payout. A report about another payment books nothing and opens one exception.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { growingPauseMs } from '../../../src/outside/instructions/growing-pause.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { type ComparedReport, mismatchesOf } from '../../../src/payouts/payout/rail-mismatch.ts';
import { payoutResolutions } from '../../../src/payouts/resolution/resolution-store.ts';
import { resolvePayout } from '../../../src/payouts/resolution/resolve-payout.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

let scene: PayoutScene;
let payout: Payout;
beforeEach(() => {
  scene = new PayoutScene();
  payout = scene.processing();
});

const ALL = { amount: true, currency: true, payee: true };
const NONE = { amount: false, currency: false, payee: false };
const payeeDigest = (_: string, alias: string) => `digest of ${alias}`;
const OURS = { amount: 1_000n, currency: 'EUR', payeeDigest: 'digest of SHOP' };

describe('comparing a report', () => {
  test.each`
    status        | confirms | confirmed                            | kinds
    ${'paid'}     | ${ALL}   | ${OURS}                              | ${[]}
    ${'paid'}     | ${NONE}  | ${undefined}                         | ${[]}
    ${'paid'}     | ${NONE}  | ${{ amount: 999n }}                  | ${['rail_amount_mismatch']}
    ${'paid'}     | ${ALL}   | ${{ ...OURS, amount: 1_001n }}       | ${['rail_amount_mismatch']}
    ${'paid'}     | ${ALL}   | ${{ ...OURS, currency: 'JOD' }}      | ${['rail_currency_mismatch']}
    ${'paid'}     | ${ALL}   | ${{ ...OURS, payeeDigest: 'other' }} | ${['rail_payee_mismatch']}
    ${'paid'}     | ${ALL}   | ${{}}                                | ${['rail_amount_mismatch', 'rail_currency_mismatch', 'rail_payee_mismatch']}
    ${'rejected'} | ${ALL}   | ${undefined}                         | ${[]}
    ${'rejected'} | ${ALL}   | ${{ amount: 1n }}                    | ${['rail_amount_mismatch']}
    ${'pending'}  | ${ALL}   | ${{ currency: 'JOD' }}               | ${['rail_currency_mismatch']}
    ${'returned'} | ${ALL}   | ${{ amount: 1_000n }}                | ${[]}
    ${'returned'} | ${ALL}   | ${{ currency: 'JOD' }}               | ${['rail_currency_mismatch']}
  `('$status, confirming $confirmed, mismatches in $kinds', ({ status, confirms, confirmed, kinds }) => {
    const word = { status, confirmed } as ComparedReport;
    const found = mismatchesOf({ confirms, payeeDigest }, payout, word, () => 'SHOP');
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
    expect(JSON.stringify(found, (_, value) => String(value))).not.toContain('SHOP');
  });
});

const lie = { kind: 'rail_amount_mismatch', detail: 'The rail says paid of 1; the payout is of 1000.' } as const;
const opened = () => [...scene.memory.rows(exceptions).values()].map(({ kind, status }) => ({ kind, status }));

describe('a report about another payment', () => {
  test.each(['paid', 'rejected', 'pending'] as const)(
    '%s: stays processing and unknown, is asked again, opens one exception',
    (status) => {
      for (let said = 0; said < 3; said++)
        payout = scene.settle(payout, { call: 'inquire', status, mismatches: [lie] });
      expect(payout).toMatchObject({ status: 'processing', outcome: 'unknown', inquiries: 3 });
      expect(payout.dueAt).toBe(payout.nextInquiryAt);
      expect(payout.entryIds).toHaveLength(1);
      expect(opened()).toEqual([{ kind: 'rail_amount_mismatch', status: 'open' }]);
    },
  );

  test('on a final payout opens an exception, and books nothing', () => {
    const paid = scene.settle(payout, { status: 'paid' });
    const after = scene.settle(paid, { call: 'notice', status: 'rejected', mismatches: [lie] });
    expect(after).toEqual(paid);
    expect(opened()).toHaveLength(1);
  });

  test('is settled by a later report about the right payment', () => {
    payout = scene.settle(payout, { status: 'paid', mismatches: [lie] });
    expect(scene.settle(payout, { status: 'paid' })).toMatchObject({ status: 'paid', outcome: null });
  });
});

describe('an operator resolves the payout', () => {
  const evidence = {
    evidenceName: 'statement.txt',
    evidenceSha256: Buffer.alloc(32),
    evidenceSealed: null,
    evidence: Buffer.from('statement'),
  };
  const resolve = (outcome: 'paid' | 'failed') =>
    scene.memory.answer(
      resolvePayout(scene.bookId, payout, {
        ...evidence,
        outcome,
        actor: 'operator:alice',
        exceptionIds: [...scene.memory.rows(exceptions).keys()],
      }),
    );

  test.each(['paid', 'failed'] as const)('as %s, with its exception, once', (outcome) => {
    payout = scene.settle(payout, { status: 'paid', mismatches: [lie] });
    expect(resolve(outcome)).toMatchObject({
      payout: { status: outcome, outcome: null, dueAt: null },
      repeated: false,
    });
    expect(opened()).toEqual([{ kind: 'rail_amount_mismatch', status: 'approved' }]);
    expect(scene.memory.get(payoutResolutions, payout.id)).toMatchObject({ outcome, actor: 'operator:alice' });
    expect(resolve(outcome)).toMatchObject({ repeated: true });
    expect(resolve(outcome === 'paid' ? 'failed' : 'paid')).toMatchObject({ refused: 'state_conflict' });
  });

  test('but not while the rail has it pending, nor when it is final', () => {
    expect(resolve('paid')).toMatchObject({ refused: 'state_conflict' });
    payout = scene.settle(payout, { status: 'paid' });
    expect(resolve('failed')).toMatchObject({ refused: 'state_conflict' });
  });
});

test("pauses follow the rail's steps, then double up to a day, for any count", () => {
  const id = '00000000-0000-7000-8000-000000000000';
  const steps = [2_000, 60_000];
  const pauses = [0, 1, 2, 3, 4, 20, 32_767].map((asked) => growingPauseMs(steps, asked, id));
  expect(pauses).toEqual([2_000, 60_000, 120_000, 240_000, 480_000, 86_400_000, 86_400_000]);
  expect(growingPauseMs(steps, 32_767, id.replace(/0000$/, 'ffff'))).toBe(0.9 * 86_400_000);
});
