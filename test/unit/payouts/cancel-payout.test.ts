import { beforeEach, expect, test } from 'vitest';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { cancelPayout } from '../../../src/payouts/payout/cancel-payout.ts';
import { reservePayout } from '../../../src/payouts/payout/reserve-payout.ts';
import { newId } from '../../../src/values/ids.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

let scene: PayoutScene;
beforeEach(() => {
  scene = new PayoutScene();
});

test('a pending payout is canceled: its hold is released, nothing is posted', () => {
  const payout = scene.accepted();
  const answer = scene.cancel(payout);
  expect(answer).toMatchObject({ status: 200, resource: 'payout', resourceId: payout.id });
  expect(scene.now(payout)).toMatchObject({ status: 'canceled', dueAt: null, version: 2 });
  expect(scene.memory.get(holds, payout.holdId)).toMatchObject({ remaining: 0n, status: 'released' });
  expect(scene.memory.account(scene.source).heldDebits).toBe(0n);
  expect(scene.memory.entries).toEqual([]);
  expect(scene.memory.events.at(-1)?.type).toBe('payout.canceled');
});

test.each`
  status          | made
  ${'processing'} | ${() => scene.processing()}
  ${'paid'}       | ${() => scene.paid()}
  ${'failed'}     | ${() => scene.failed()}
  ${'returned'}   | ${() => scene.giveBack(scene.paid(), 1_000n)}
`('a payout that is $status cannot be canceled', ({ status, made }) => {
  const payout = made();
  expect(scene.cancel(payout)).toMatchObject({
    refused: 'state_conflict',
    facts: { current_status: status, allowed_actions: [] },
  });
  expect(scene.now(payout)).toEqual(payout);
});

test.each`
  first        | status          | steps
  ${'cancel'}  | ${'canceled'}   | ${[]}
  ${'reserve'} | ${'processing'} | ${['reserved']}
`('of a cancel and a reserve of one payout in a batch, $first comes first and decides', (row) => {
  const payout = scene.accepted();
  const cancel = cancelPayout(scene.bookId, payout, { requestId: newId(), actor: 'api_key:key_1' });
  const reserve = reservePayout(scene.bookId, payout);
  scene.memory.run(row.first === 'cancel' ? [cancel, reserve] : [reserve, cancel]);
  expect(scene.now(payout).status).toBe(row.status);
  expect(scene.memory.entries.map(({ step }) => step)).toEqual(row.steps);
});

test.each`
  ifMatch | answer
  ${1}    | ${{ status: 200 }}
  ${2}    | ${{ refused: 'version_mismatch', facts: { version: 1 } }}
`('with If-Match $ifMatch at version 1 the answer is $answer', ({ ifMatch, answer }) => {
  expect(scene.cancel(scene.accepted(), { ifMatch })).toMatchObject(answer);
});

test('a stale version is refused before the status is checked', () => {
  expect(scene.cancel(scene.paid(), { ifMatch: 1 })).toMatchObject({ refused: 'version_mismatch' });
});
