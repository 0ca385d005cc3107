import { beforeEach, describe, expect, test } from 'vitest';
import { available } from '../../../src/ledger/account/account.ts';
import { chartAccountId } from '../../../src/ledger/account/chart.ts';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { START } from '../../support/memory-book.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

let scene: PayoutScene;
beforeEach(() => {
  scene = new PayoutScene();
});

const chart = (code: Parameters<typeof chartAccountId>[1]) => chartAccountId(scene.bookId, code, 'EUR');

describe('pending → processing', () => {
  test('the amount moves from the customer to transit, the fee stays held', () => {
    const payout = scene.accepted();
    scene.memory.now = START + 7;
    const processing = scene.reserve(payout);
    const [entry] = scene.memory.entries;
    expect(scene.memory.entries).toHaveLength(1);
    expect(entry).toMatchObject({
      resource: 'payout',
      resourceId: payout.id,
      step: 'reserved',
      floorOverridden: false,
    });
    expect(entry?.postings).toMatchObject([
      { debitAccountId: scene.source, creditAccountId: chart('payouts_in_transit'), amount: 1_000n },
    ]);
    expect(processing).toMatchObject({ status: 'processing', version: 2, sentAt: START + 7, entryIds: [entry?.id] });
    expect(processing.dueAt).toBeGreaterThan(START + 7);
    expect(scene.memory.get(holds, payout.holdId)).toMatchObject({ remaining: 5n, status: 'open', steps: 2 });
    expect(available(scene.memory.account(scene.source))).toBe(8_995n);
  });

  test('an event with the entry is emitted, and a job for the rail is enqueued', () => {
    const payout = scene.processing();
    const event = JSON.parse(scene.memory.events.at(-1)!.payload) as { type: string; journal_entries: unknown[] };
    expect(event).toMatchObject({ type: 'payout.processing', data: { previous_attributes: { status: 'pending' } } });
    expect(event.journal_entries).toHaveLength(1);
    expect(scene.memory.jobs.at(-1)).toEqual({ pool: 'rails', job: 'payout.submit', id: payout.id });
  });

  test('without a fee the hold is used up', () => {
    const payout = scene.processing({ fee: 0n });
    expect(scene.memory.get(holds, payout.holdId)).toMatchObject({ remaining: 0n, status: 'captured' });
  });
});

describe('a repeated job', () => {
  test('of a processing payout enqueues the rail again and changes nothing', () => {
    const payout = scene.processing();
    const before = scene.memory.dump();
    expect(scene.reserve(payout)).toEqual(payout);
    expect(scene.memory.dump()).toEqual(before);
    expect(scene.memory.jobs.at(-1)).toEqual({ pool: 'rails', job: 'payout.submit', id: payout.id });
  });

  test.each`
    state                   | made
    ${'of unknown outcome'} | ${() => scene.unknown(scene.processing())}
    ${'paid'}               | ${() => scene.paid()}
    ${'failed'}             | ${() => scene.failed()}
    ${'canceled'}           | ${() => canceled()}
    ${'returned'}           | ${() => scene.giveBack(scene.paid(), 1_000n)}
  `('of a payout that is $state changes nothing and enqueues nothing', ({ made }) => {
    const payout = made();
    const before = [scene.memory.dump(), scene.memory.jobs.length];
    expect(scene.reserve(payout)).toEqual(payout);
    expect([scene.memory.dump(), scene.memory.jobs.length]).toEqual(before);
  });

  const canceled = () => {
    const payout = scene.accepted();
    scene.cancel(payout);
    return scene.now(payout);
  };
});

test.each`
  status      | code
  ${'frozen'} | ${'source_account_frozen'}
  ${'closed'} | ${'source_account_closed'}
`('a payout whose account is $status meanwhile fails, and its hold is released', ({ status, code }) => {
  const payout = scene.accepted();
  scene.change(scene.source, { status });
  expect(scene.reserve(payout)).toMatchObject({
    status: 'failed',
    failureCode: code,
    sentAt: null,
    dueAt: null,
    entryIds: [],
  });
  expect(scene.memory.get(holds, payout.holdId)).toMatchObject({ remaining: 0n, status: 'released' });
  expect(scene.memory.account(scene.source).heldDebits).toBe(0n);
  expect(scene.memory.entries).toEqual([]);
});

describe('a transfer within the book', () => {
  test('arrives in the same commit', () => {
    const payout = scene.reserve(scene.acceptedForTarget());
    expect(payout).toMatchObject({ status: 'paid', dueAt: null, version: 3 });
    expect(scene.memory.entries.map(({ step }) => step)).toEqual(['reserved', 'paid']);
    expect(scene.memory.events.map(({ type }) => type)).toEqual(['payout.created', 'payout.processing', 'payout.paid']);
    expect(available(scene.memory.account(scene.target))).toBe(1_000n);
    expect(available(scene.memory.account(scene.source))).toBe(8_995n);
    expect(available(scene.memory.account(chart('due_operator')))).toBe(5n);
  });

  test('to an account closed meanwhile fails, and the money is returned', () => {
    const payout = scene.acceptedForTarget();
    scene.change(scene.target, { status: 'closed' });
    expect(scene.reserve(payout)).toMatchObject({ status: 'failed', failureCode: 'payee_account_closed' });
    expect(scene.memory.entries.map(({ step }) => step)).toEqual(['reserved', 'failed']);
    expect(available(scene.memory.account(scene.source))).toBe(10_000n);
  });
});

test('a held amount leaves even if the account has gone below its floor, and is flagged', () => {
  const first = scene.failed({ amount: 9_000n });
  const second = scene.accepted({ amount: 9_000n });
  scene.settle(first, { status: 'paid' });
  expect(available(scene.memory.account(scene.source))).toBe(-8_005n);
  const paid = scene.settle(scene.reserve(second), { status: 'paid' });
  expect(paid.status).toBe('paid');
  expect(available(scene.memory.account(scene.source))).toBe(-8_005n);
  const flags = scene.memory.entries.filter(({ resourceId }) => resourceId === second.id);
  expect(flags.map(({ step, floorOverridden }) => [step, floorOverridden])).toEqual([
    ['reserved', true],
    ['paid', true],
  ]);
});
