import { beforeEach, describe, expect, test } from 'vitest';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { available } from '../../../src/ledger/account/account.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { evidence } from '../../../src/outside/evidence/evidence.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { START } from '../../support/memory-book.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

let scene: PayoutScene;
beforeEach(() => {
  scene = new PayoutScene();
});

const chart = (code: Parameters<typeof chartAccountId>[1]) => chartAccountId(scene.bookId, code, 'EUR');

const STATES: Record<string, () => Payout> = {
  pending: () => scene.accepted(),
  processing: () => scene.processing(),
  unknown: () => scene.unknown(scene.processing()),
  paid: () => scene.paid(),
  'paid, partly back': () => scene.giveBack(scene.paid(), 400n),
  'failed at the rail': () => scene.failed(),
  'failed before the rail': () => failedBeforeRail(),
  canceled: () => canceled(),
  returned: () => scene.giveBack(scene.paid(), 1_000n),
};

const failedBeforeRail = () => {
  const payout = scene.accepted();
  scene.change(scene.source, { status: 'frozen' });
  const failed = scene.reserve(payout);
  scene.change(scene.source, { status: 'open' });
  return failed;
};
const canceled = () => {
  const payout = scene.accepted();
  scene.cancel(payout);
  return scene.now(payout);
};

// Every status with every report. `steps` are the entries of the report; events and exceptions are those it caused.
test.each`
  state                       | word          | status          | steps                    | events                                     | exception
  ${'pending'}                | ${'pending'}  | ${'pending'}    | ${[]}                    | ${[]}                                      | ${undefined}
  ${'pending'}                | ${'rejected'} | ${'pending'}    | ${[]}                    | ${[]}                                      | ${undefined}
  ${'pending'}                | ${'paid'}     | ${'pending'}    | ${[]}                    | ${['exception.opened']}                    | ${'paid_never_sent'}
  ${'processing'}             | ${'pending'}  | ${'processing'} | ${[]}                    | ${[]}                                      | ${undefined}
  ${'processing'}             | ${'rejected'} | ${'failed'}     | ${['failed']}            | ${['payout.failed']}                       | ${undefined}
  ${'processing'}             | ${'paid'}     | ${'paid'}       | ${['paid']}              | ${['payout.paid']}                         | ${undefined}
  ${'unknown'}                | ${'pending'}  | ${'processing'} | ${[]}                    | ${[]}                                      | ${undefined}
  ${'unknown'}                | ${'rejected'} | ${'failed'}     | ${['failed']}            | ${['payout.failed']}                       | ${undefined}
  ${'unknown'}                | ${'paid'}     | ${'paid'}       | ${['paid']}              | ${['payout.paid']}                         | ${undefined}
  ${'paid'}                   | ${'pending'}  | ${'paid'}       | ${[]}                    | ${[]}                                      | ${undefined}
  ${'paid'}                   | ${'rejected'} | ${'returned'}   | ${['returned_1']}        | ${['exception.opened', 'payout.returned']} | ${'failed_after_paid'}
  ${'paid'}                   | ${'paid'}     | ${'paid'}       | ${[]}                    | ${[]}                                      | ${undefined}
  ${'paid, partly back'}      | ${'pending'}  | ${'paid'}       | ${[]}                    | ${[]}                                      | ${undefined}
  ${'paid, partly back'}      | ${'rejected'} | ${'returned'}   | ${['returned_2']}        | ${['exception.opened', 'payout.returned']} | ${'failed_after_paid'}
  ${'paid, partly back'}      | ${'paid'}     | ${'paid'}       | ${[]}                    | ${[]}                                      | ${undefined}
  ${'failed at the rail'}     | ${'pending'}  | ${'failed'}     | ${[]}                    | ${[]}                                      | ${undefined}
  ${'failed at the rail'}     | ${'rejected'} | ${'failed'}     | ${[]}                    | ${[]}                                      | ${undefined}
  ${'failed at the rail'}     | ${'paid'}     | ${'paid'}       | ${['paid_after_failed']} | ${['payout.paid', 'exception.opened']}     | ${'paid_after_failed'}
  ${'failed before the rail'} | ${'pending'}  | ${'failed'}     | ${[]}                    | ${[]}                                      | ${undefined}
  ${'failed before the rail'} | ${'rejected'} | ${'failed'}     | ${[]}                    | ${[]}                                      | ${undefined}
  ${'failed before the rail'} | ${'paid'}     | ${'failed'}     | ${[]}                    | ${['exception.opened']}                    | ${'paid_never_sent'}
  ${'canceled'}               | ${'pending'}  | ${'canceled'}   | ${[]}                    | ${[]}                                      | ${undefined}
  ${'canceled'}               | ${'rejected'} | ${'canceled'}   | ${[]}                    | ${[]}                                      | ${undefined}
  ${'canceled'}               | ${'paid'}     | ${'canceled'}   | ${[]}                    | ${['exception.opened']}                    | ${'paid_never_sent'}
  ${'returned'}               | ${'pending'}  | ${'returned'}   | ${[]}                    | ${[]}                                      | ${undefined}
  ${'returned'}               | ${'rejected'} | ${'returned'}   | ${[]}                    | ${[]}                                      | ${undefined}
  ${'returned'}               | ${'paid'}     | ${'returned'}   | ${[]}                    | ${[]}                                      | ${undefined}
`(
  'a payout that is $state and gets the report $word is $status',
  ({ state, word, status, steps, events, exception }) => {
    const payout = STATES[state]!();
    const { memory } = scene;
    const [entries, told] = [memory.entries.length, memory.events.length];
    const after = scene.settle(payout, { status: word });
    expect(after.status).toBe(status);
    expect(scene.now(payout)).toEqual(after);
    expect(memory.entries.slice(entries).map(({ step }) => step)).toEqual(steps);
    expect(memory.events.slice(told).map(({ type }) => type)).toEqual(events);
    expect([...memory.rows(exceptions).values()].at(-1)?.kind).toBe(exception);
    if (steps.length === 0 && status !== 'processing') expect(after).toEqual(payout);
    else expect(after.version).toBeGreaterThan(payout.version);
  },
);

describe('paid', () => {
  test('the amount leaves transit for the pool, the fee leaves the customer, and the hold is used up', () => {
    const payout = scene.paid();
    expect(scene.memory.entries.at(-1)?.postings).toMatchObject([
      { debitAccountId: chart('payouts_in_transit'), creditAccountId: chart('pool'), amount: 1_000n },
      { debitAccountId: scene.source, creditAccountId: chart('due_operator'), amount: 5n },
    ]);
    expect(scene.memory.get(holds, payout.holdId)).toMatchObject({ remaining: 0n, status: 'captured', steps: 3 });
    expect(scene.memory.account(scene.source)).toMatchObject({ heldDebits: 0n, postedDebits: 1_005n });
    expect(payout).toMatchObject({ dueAt: null, outcome: null, nextInquiryAt: null, failureCode: null });
    expect(payout.entryIds).toEqual(scene.memory.entries.map(({ id }) => id));
  });

  test('also from an account frozen meanwhile, since it was reserved before', () => {
    const payout = scene.processing();
    scene.change(scene.source, { status: 'frozen' });
    expect(scene.settle(payout, { status: 'paid' }).status).toBe('paid');
  });

  test('without a fee is one posting', () => {
    scene.paid({ fee: 0n });
    expect(scene.memory.entries.at(-1)?.postings).toHaveLength(1);
  });

  test("keeps the rail's reference", () => {
    const payout = scene.settle(scene.processing(), { status: 'paid', railReference: 'R1', railCode: 'ACSC' });
    expect(payout).toMatchObject({ railReference: 'R1', railCode: 'ACSC' });
  });
});

describe('rejected', () => {
  test('the customer gets everything back, with the reason', () => {
    const payout = scene.failed();
    expect(scene.memory.entries.at(-1)?.postings).toMatchObject([
      { debitAccountId: chart('payouts_in_transit'), creditAccountId: scene.source, amount: 1_000n },
    ]);
    expect(available(scene.memory.account(scene.source))).toBe(10_000n);
    expect(scene.memory.get(holds, payout.holdId)).toMatchObject({ remaining: 0n, status: 'released' });
    expect(payout).toMatchObject({ failureCode: 'alias_unregistered', railCode: 'AC01', dueAt: null });
  });

  test('without a known code means refused_by_payee', () => {
    expect(scene.settle(scene.processing(), { status: 'rejected' }).failureCode).toBe('refused_by_payee');
  });

  test.each(['frozen', 'closed'] as const)('the money is returned to an account that is %s', (status) => {
    const payout = scene.processing({ fee: 0n });
    scene.change(scene.source, { status });
    expect(scene.settle(payout, { status: 'rejected' }).status).toBe('failed');
    expect(available(scene.memory.account(scene.source))).toBe(10_000n);
  });
});

describe('paid after failed', () => {
  test('takes the amount from the customer, if necessary below the floor, but not the fee', () => {
    const payout = scene.failed();
    scene.change(scene.source, { postedDebits: scene.memory.account(scene.source).postedCredits });
    expect(scene.settle(payout, { status: 'paid' })).toMatchObject({ status: 'paid', failureCode: null });
    const entry = scene.memory.entries.at(-1);
    expect(entry).toMatchObject({ step: 'paid_after_failed', floorOverridden: true });
    expect(entry?.postings).toMatchObject([
      { debitAccountId: scene.source, creditAccountId: chart('pool'), amount: 1_000n },
    ]);
    expect(available(scene.memory.account(scene.source))).toBe(-1_000n);
  });

  test.each(['frozen', 'closed'] as const)('also from an account that is %s', (status) => {
    const payout = scene.failed();
    scene.change(scene.source, { status });
    expect(scene.settle(payout, { status: 'paid' }).status).toBe('paid');
  });

  test('within the available balance is not flagged', () => {
    scene.settle(scene.failed(), { status: 'paid' });
    expect(scene.memory.entries.at(-1)?.floorOverridden).toBe(false);
  });

  test('followed by a full return is returned', () => {
    const paid = scene.settle(scene.failed(), { status: 'paid' });
    expect(scene.giveBack(paid, 1_000n)).toMatchObject({ status: 'returned', amountReturned: 1_000n });
    expect(available(scene.memory.account(scene.source))).toBe(10_000n);
  });
});

describe('no answer', () => {
  test('leaves the outcome unknown and sets the next inquiry', () => {
    const payout = scene.unknown(scene.processing(), 2_000);
    expect(payout).toMatchObject({
      status: 'processing',
      outcome: 'unknown',
      inquiries: 1,
      nextInquiryAt: START + 2_000,
      dueAt: START + 2_000,
    });
    expect(scene.memory.entries).toHaveLength(1);
  });

  test('followed by a pending report is known again', () => {
    const payout = scene.settle(scene.unknown(scene.processing()), { status: 'pending', nextInquiryMs: 5_000 });
    expect(payout).toMatchObject({ outcome: null, inquiries: 2, nextInquiryAt: START + 5_000, dueAt: START + 5_000 });
  });

  test.each(['paid', 'failed at the rail', 'returned'])('about a payout that is %s changes nothing', (state) => {
    const payout = STATES[state]!();
    expect(scene.unknown(payout)).toEqual(payout);
  });
});

describe("a rail's report", () => {
  test('is stored as received, whether it changed anything or not', () => {
    const payout = scene.paid();
    scene.settle(payout, { call: 'inquire', status: 'paid', raw: { status: 'ACSC' } });
    expect([...scene.memory.rows(evidence).values()]).toMatchObject([
      { resource: 'payout', resourceId: payout.id, call: 'submit', answer: { word: 'paid' } },
      { resource: 'payout', resourceId: payout.id, call: 'inquire', answer: { status: 'ACSC' } },
    ]);
  });

  test.each(['paid', 'rejected', 'pending'] as const)(
    '%s, attempted again after a lost commit answer, happens once',
    (status) => {
      const command = scene.settling(scene.processing(), { status });
      const first = scene.memory.answer(command);
      const before = [scene.memory.dump(), scene.memory.events.length];
      expect(scene.memory.answer(command)).toEqual(first);
      expect([scene.memory.dump(), scene.memory.events.length]).toEqual(before);
    },
  );

  test('as a notice, repeated under its id, happens once', () => {
    const notice = { call: 'notice', status: 'paid', noticeId: '018f4d3e-7b2a-7000-8000-000000000001' } as const;
    const payout = canceled();
    scene.settle(payout, notice);
    scene.settle(payout, notice);
    expect([...scene.memory.rows(exceptions).values()]).toHaveLength(1);
  });
});
