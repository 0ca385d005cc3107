import { beforeEach, describe, expect, test } from 'vitest';
import { EARLIEST_FORMS } from '../../../src/db/forms.ts';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { available } from '../../../src/ledger/account/account.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { evidence } from '../../../src/outside/evidence/evidence.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { payoutReturns } from '../../../src/payouts/returns/payout-return-table.ts';
import { newId, publicId } from '../../../src/values/ids.ts';
import { RETURNS_APART } from '../../support/forms.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

let scene: PayoutScene;
beforeEach(() => {
  scene = new PayoutScene();
});

test.each`
  parts                 | status        | amountReturned | steps
  ${[1_000n]}           | ${'returned'} | ${1_000n}      | ${['returned_1']}
  ${[500n]}             | ${'paid'}     | ${500n}        | ${['returned_1']}
  ${[500n, 500n]}       | ${'returned'} | ${1_000n}      | ${['returned_1', 'returned_2']}
  ${[1n, 998n]}         | ${'paid'}     | ${999n}        | ${['returned_1', 'returned_2']}
  ${[300n, 300n, 400n]} | ${'returned'} | ${1_000n}      | ${['returned_1', 'returned_2', 'returned_3']}
`('of 1,000 paid, $parts are returned: $status', ({ parts, status, amountReturned, steps }) => {
  const payout = (parts as bigint[]).reduce((current, amount) => scene.giveBack(current, amount), scene.paid());
  expect(payout).toMatchObject({ status, amountReturned, returns: parts.length, dueAt: null });
  expect(scene.memory.entries.slice(2).map(({ step }) => step)).toEqual(steps);
  expect(payout.entryIds).toEqual(scene.memory.entries.map(({ id }) => id));
  expect(available(scene.memory.account(scene.source))).toBe(8_995n + amountReturned);
  const rows = [...scene.memory.rows(payoutReturns).values()];
  expect(rows.map(({ amount }) => amount)).toEqual(parts);
  expect(rows.map(({ entryId }) => entryId)).toEqual(payout.entryIds.slice(2));

  // After the contract a return is booked as a child: its entry names it, and stands in no list of its payout.
  const apart = new PayoutScene(RETURNS_APART);
  const parent = (parts as bigint[]).reduce((current, amount) => apart.giveBack(current, amount), apart.paid());
  expect(parent).toMatchObject({ status, amountReturned, returns: 0, dueAt: null, version: payout.version });
  const [reserved, paid, ...booked] = apart.memory.entries;
  expect(parent.entryIds).toEqual([reserved!.id, paid!.id]);
  const children = [...apart.memory.rows(payoutReturns).values()];
  expect(booked.map(({ id, resource, resourceId, step }) => [id, resource, resourceId, step])).toEqual(
    children.map(({ id, entryId }) => [entryId, 'payout_return', id, 'returned']),
  );
  expect(available(apart.memory.account(apart.source))).toBe(8_995n + amountReturned);
});

test('a return is posted from the pool to the customer, and an event is emitted', () => {
  scene.giveBack(scene.paid(), 400n);
  expect(scene.memory.entries.at(-1)?.postings).toMatchObject([
    { debitAccountId: chartAccountId(scene.bookId, 'pool', 'EUR'), creditAccountId: scene.source, amount: 400n },
  ]);
  expect(JSON.parse(scene.memory.events.at(-1)!.payload)).toMatchObject({
    type: 'payout.returned',
    data: { object: { status: 'paid', amount_returned: 400 }, previous_attributes: { amount_returned: 0 } },
  });
});

test('the event of a child has its payout as the object, and names the return by its entry', () => {
  const apart = new PayoutScene(RETURNS_APART);
  const payout = apart.giveBack(apart.paid(), 400n);
  const id = newId();
  const whole = apart.memory.answer(apart.returning(payout, 600n, id));
  expect(JSON.parse(apart.memory.events.at(-1)!.payload)).toMatchObject({
    type: 'payout.returned',
    object_sequence: whole.version,
    data: {
      object: { id: publicId('payout', payout.id), status: 'returned', amount_returned: 1_000 },
      previous_attributes: { status: 'paid', amount_returned: 400 },
    },
    journal_entries: [
      {
        id: publicId('entry', apart.memory.entries.at(-1)!.id),
        resource: 'payout_return',
        resource_id: publicId('payoutReturn', id),
        step: 'returned',
      },
    ],
  });
});

test('returns of before and after the contract stand side by side', () => {
  const { memory } = scene;
  const before = scene.giveBack(scene.paid(), 100n);
  memory.forms = RETURNS_APART;
  const after = scene.giveBack(before, 200n);
  expect(after).toMatchObject({ returns: 1, amountReturned: 300n, entryIds: before.entryIds });
  // A process that has not learned of the contract yet counts on from the steps of the payout.
  memory.forms = EARLIEST_FORMS;
  expect(scene.giveBack(after, 300n)).toMatchObject({ returns: 2, amountReturned: 600n });
  expect(memory.entries.at(-1)).toMatchObject({ resourceId: before.id, step: 'returned_2' });
});

test('reported twice under one id, a return is booked once', () => {
  const payout = scene.paid();
  const id = newId();
  const first = scene.memory.answer(scene.returning(payout, 400n, id));
  expect(scene.memory.answer(scene.returning(payout, 400n, id))).toEqual(first);
  expect(scene.memory.rows(payoutReturns).size).toBe(1);
});

test('reported twice in one batch, a return is booked once', () => {
  const payout = scene.paid();
  const id = newId();
  scene.memory.run([scene.returning(payout, 400n, id), scene.returning(payout, 400n, id)]);
  expect(scene.now(payout)).toMatchObject({ amountReturned: 400n, returns: 1 });
});

test('attempted again after a lost commit answer, a return is booked once', () => {
  const command = scene.returning(scene.paid(), 400n);
  const first = scene.memory.answer(command);
  expect(scene.memory.answer(command)).toEqual(first);
  expect(scene.memory.entries).toHaveLength(3);
});

describe('a return that cannot be booked opens one exception', () => {
  test.each<[string, string, bigint, () => Payout]>([
    ['more than was paid', 'return_exceeds_payout', 1_001n, () => scene.paid()],
    ['more than is left', 'return_exceeds_payout', 601n, () => scene.giveBack(scene.paid(), 400n)],
    ['of a failed payout', 'return_of_unpaid', 1_000n, () => scene.failed()],
    ['of a pending payout', 'return_of_unpaid', 1_000n, () => scene.accepted()],
    ['of a payout that came back already', 'return_exceeds_payout', 1n, () => scene.giveBack(scene.paid(), 1_000n)],
  ])('%s', (_, kind, amount, made) => {
    const payout = made();
    const entries = scene.memory.entries.length;
    const id = newId();
    expect(scene.memory.answer(scene.returning(payout, amount, id))).toEqual(payout);
    expect(scene.memory.answer(scene.returning(payout, amount, id))).toEqual(payout);
    expect(scene.memory.entries).toHaveLength(entries);
    expect([...scene.memory.rows(exceptions).values()]).toMatchObject([{ kind, resourceId: payout.id }]);
    expect(scene.memory.events.at(-1)?.type).toBe('exception.opened');
  });
});

test('reported before the payment is recorded, a return leaves no trace and is booked when repeated', () => {
  const payout = scene.processing();
  const id = newId();
  expect(scene.memory.answer(scene.returning(payout, 400n, id))).toEqual(payout);
  expect(scene.memory.rows(evidence).size).toBe(0);
  scene.settle(payout, { status: 'paid' });
  expect(scene.memory.answer(scene.returning(payout, 400n, id)).amountReturned).toBe(400n);
});

test('a closed account gets its return, and an exception is opened', () => {
  const payout = scene.paid();
  scene.change(scene.source, { status: 'closed' });
  expect(scene.giveBack(payout, 1_000n).status).toBe('returned');
  expect([...scene.memory.rows(exceptions).values()]).toMatchObject([{ kind: 'return_to_closed_account' }]);
});

const kindsOf = (of: PayoutScene) => [...of.memory.rows(exceptions).values()].map(({ kind }) => kind);

describe('a rejection after paid and the credit that follows are one return', () => {
  const rejected = (payout: Payout) => scene.settle(payout, { status: 'rejected', railCode: 'AC04', call: 'notice' });

  test('H10: the rejection books, the credit is its evidence', () => {
    const returned = rejected(scene.paid());
    expect(returned).toMatchObject({ status: 'returned', amountReturned: 1_000n });
    const entries = scene.memory.entries.length;
    const pieces = scene.memory.rows(evidence).size;
    expect(scene.giveBack(returned, 1_000n, { isWhole: true })).toEqual(returned);
    expect(scene.memory.entries).toHaveLength(entries);
    expect(scene.memory.rows(evidence).size).toBe(pieces + 2);
    expect(kindsOf(scene)).toEqual(['failed_after_paid']);
    // Another credit is none of it.
    scene.giveBack(returned, 1_000n, { isWhole: true });
    expect(kindsOf(scene)).toEqual(['failed_after_paid', 'return_exceeds_payout']);
  });

  test('credited in parts, all of them are its evidence, and what exceeds them is not', () => {
    const returned = rejected(scene.paid());
    const entries = scene.memory.entries.length;
    for (const amount of [600n, 300n, 100n]) scene.giveBack(returned, amount, { isWhole: true });
    expect(kindsOf(scene)).toEqual(['failed_after_paid', 'return_short']);
    scene.giveBack(returned, 1n, { isWhole: true });
    expect(kindsOf(scene)).toEqual(['failed_after_paid', 'return_short', 'return_exceeds_payout']);
    expect(scene.memory.entries).toHaveLength(entries);
  });

  test('of what was left alone, and short of charges a person is told', () => {
    const returned = rejected(scene.giveBack(scene.paid(), 400n));
    scene.giveBack(returned, 590n, { isWhole: true });
    expect(kindsOf(scene)).toEqual(['failed_after_paid', 'return_short']);
  });

  test('the credit first: it books, and the rejection changes nothing', () => {
    const returned = scene.giveBack(scene.paid(), 1_000n);
    expect(rejected(returned)).toEqual(returned);
    expect(kindsOf(scene)).toEqual([]);
  });
});

test('H23: where a rail returns payouts whole, less is booked for what came, and a person is told once', () => {
  const paid = scene.paid();
  const short = scene.giveBack(paid, 900n, { isWhole: true });
  expect(short).toMatchObject({ status: 'paid', amountReturned: 900n });
  expect(kindsOf(scene)).toEqual(['return_short']);
  scene.giveBack(short, 50n, { isWhole: true });
  expect(kindsOf(scene)).toEqual(['return_short']);
});

test('H28: silence is unknown, told once, and a debit later pays', () => {
  const silent = scene.settle(scene.processing(), { status: 'pending', call: 'inquire', warning: 'rail_silent' });
  expect(silent).toMatchObject({ status: 'processing', outcome: 'unknown' });
  const again = scene.settle(silent, { status: 'pending', call: 'inquire', warning: 'rail_silent' });
  expect(kindsOf(scene)).toEqual(['rail_silent']);
  expect(scene.settle(again, { status: 'paid', call: 'notice', noticeId: newId() })).toMatchObject({ status: 'paid' });
});
