import { beforeEach, describe, expect, test } from 'vitest';
import { exceptions } from '../../../src/exceptions/exception-table.ts';
import { newId } from '../../../src/ids.ts';
import { available } from '../../../src/ledger/account.ts';
import { chartAccountId } from '../../../src/ledger/chart.ts';
import type { Payout } from '../../../src/payouts/payout.ts';
import { payoutReturns, railAnswers } from '../../../src/payouts/payout-children-tables.ts';
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
    ['of a payout that came back already', 'return_of_unpaid', 1n, () => scene.giveBack(scene.paid(), 1_000n)],
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
  expect(scene.memory.rows(railAnswers).size).toBe(0);
  scene.settle(payout, { status: 'paid' });
  expect(scene.memory.answer(scene.returning(payout, 400n, id)).amountReturned).toBe(400n);
});

test('a closed account gets its return, and an exception is opened', () => {
  const payout = scene.paid();
  scene.change(scene.source, { status: 'closed' });
  expect(scene.giveBack(payout, 1_000n).status).toBe('returned');
  expect([...scene.memory.rows(exceptions).values()]).toMatchObject([{ kind: 'return_to_closed_account' }]);
});
