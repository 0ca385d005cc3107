import { beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/ledger/account/account.ts';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { metadataIndex } from '../../../src/ledger/resources/metadata-store.ts';
import { endToEndId } from '../../../src/outside/instructions/end-to-end-id.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { newId } from '../../../src/values/ids.ts';
import { START } from '../../support/memory-book.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';

let scene: PayoutScene;
beforeEach(() => {
  scene = new PayoutScene();
});

/** Every reason to refuse at once, so that each row shows which guard comes first. */
const NOTHING_LEFT = { postedCredits: 0n };
const toTarget = () => ({ destination: { type: 'account' as const, accountId: scene.target } });

// In the order of the guards.
test.each`
  guard                      | source                                                    | target                                   | change                                                                   | answer                   | param
  ${'no default account'}    | ${{ ...NOTHING_LEFT }}                                    | ${{}}                                    | ${() => ({ accountId: null, rail: null })}                               | ${'resource_not_found'}  | ${'/account'}
  ${'no such account'}       | ${{ ...NOTHING_LEFT }}                                    | ${{}}                                    | ${() => ({ accountId: newId(), rail: null })}                            | ${'resource_not_found'}  | ${'/account'}
  ${'not a customer'}        | ${{ code: 'due_operator', status: 'closed' }}             | ${{}}                                    | ${() => ({ rail: null })}                                                | ${'resource_not_found'}  | ${'/account'}
  ${'closed'}                | ${{ ...NOTHING_LEFT, status: 'closed', currency: 'JOD' }} | ${{}}                                    | ${() => ({ rail: null })}                                                | ${'account_closed'}      | ${'/account'}
  ${'frozen'}                | ${{ ...NOTHING_LEFT, status: 'frozen', currency: 'JOD' }} | ${{}}                                    | ${() => ({ rail: null })}                                                | ${'account_frozen'}      | ${'/account'}
  ${'currency'}              | ${{ ...NOTHING_LEFT, currency: 'JOD' }}                   | ${{}}                                    | ${() => ({ rail: null })}                                                | ${'currency_mismatch'}   | ${'/currency'}
  ${'no rail'}               | ${{ ...NOTHING_LEFT }}                                    | ${{ status: 'closed' }}                  | ${() => ({ ...toTarget(), rail: null })}                                 | ${'rail_unavailable'}    | ${'/destination/type'}
  ${'no such target'}        | ${{ ...NOTHING_LEFT }}                                    | ${{}}                                    | ${() => ({ destination: { type: 'account', accountId: newId() } })}      | ${'resource_not_found'}  | ${'/destination/account'}
  ${'target not a customer'} | ${{ ...NOTHING_LEFT }}                                    | ${{ code: 'due_operator' }}              | ${toTarget}                                                              | ${'resource_not_found'}  | ${'/destination/account'}
  ${'itself'}                | ${{ ...NOTHING_LEFT }}                                    | ${{}}                                    | ${() => ({ destination: { type: 'account', accountId: scene.source } })} | ${'destination_invalid'} | ${'/destination/account'}
  ${'target closed'}         | ${{ ...NOTHING_LEFT }}                                    | ${{ status: 'closed', currency: 'JOD' }} | ${toTarget}                                                              | ${'account_closed'}      | ${'/destination/account'}
  ${'target currency'}       | ${{ ...NOTHING_LEFT }}                                    | ${{ currency: 'JOD' }}                   | ${toTarget}                                                              | ${'currency_mismatch'}   | ${'/destination/account'}
  ${'a unit too little'}     | ${{ postedCredits: 1_004n }}                              | ${{}}                                    | ${() => ({})}                                                            | ${'insufficient_funds'}  | ${'/amount'}
  ${'held elsewhere'}        | ${{ postedCredits: 1_005n, heldDebits: 1n }}              | ${{}}                                    | ${() => ({})}                                                            | ${'insufficient_funds'}  | ${'/amount'}
`('refused with $answer: $guard', ({ source, target, change, answer, param }) => {
  scene.change(scene.source, source);
  scene.change(scene.target, target);
  const before = scene.memory.dump();
  expect(scene.memory.answer(scene.accepting(change()))).toMatchObject({ refused: answer, param });
  expect(scene.memory.dump()).toEqual(before);
  expect([scene.memory.events, scene.memory.jobs]).toEqual([[], []]);
});

test.each<[string, Partial<Account>]>([
  ['all there is', { postedCredits: 1_005n }],
  ['into the overdraft', { postedCredits: 5n, floor: -1_000n }],
])('accepted: %s', (_, change) => {
  scene.change(scene.source, change);
  expect(scene.accepted().status).toBe('pending');
});

test('a frozen account can be paid: only money that leaves it is stopped', () => {
  scene.change(scene.target, { status: 'frozen' });
  expect(scene.acceptedForTarget().status).toBe('pending');
});

describe('insufficient funds', () => {
  test('gives the available and the required amount', () => {
    scene.change(scene.source, { postedCredits: 900n, heldDebits: 100n });
    expect(scene.memory.answer(scene.accepting())).toMatchObject({
      facts: { available: 800n, required: 1_005n, currency: 'EUR', currency_exponent: 2 },
    });
  });
});

describe('an accepted payout', () => {
  test('holds amount and fee, posts nothing, emits an event and enqueues a ledger job', () => {
    const payout = scene.accepted({ metadata: { order: '7' } });
    expect(payout).toMatchObject({
      status: 'pending',
      amount: 1_000n,
      fee: 5n,
      version: 1,
      sentAt: null,
      entryIds: [],
    });
    expect(payout.dueAt).toBeGreaterThan(START);
    expect(scene.memory.get(holds, payout.holdId)).toMatchObject({ amount: 1_005n, remaining: 1_005n, status: 'open' });
    expect(scene.memory.account(scene.source)).toMatchObject({ heldDebits: 1_005n, postedDebits: 0n });
    expect(scene.memory.entries).toEqual([]);
    expect(scene.memory.events).toMatchObject([{ type: 'payout.created', objectId: payout.id }]);
    expect(scene.memory.jobs).toEqual([{ pool: 'ledger', job: 'payout.reserve', id: payout.id }]);
    expect(scene.memory.log(metadataIndex)).toEqual([
      { object: 'payout', key: 'order', value: '7', objectId: payout.id },
    ]);
  });

  test('is answered with 202 and the payout of its event', () => {
    const answer = scene.memory.answer(scene.accepting());
    if (answer.refused) throw new Error('refused');
    expect(answer).toMatchObject({ status: 202, resource: 'payout' });
    const event = JSON.parse(scene.memory.events[0]!.payload) as { data: { object: unknown } };
    expect(JSON.parse(answer.body.text)).toEqual(event.data.object);
    expect(answer.body.text).not.toContain('sealed');
  });

  test('without a fee holds only the amount', () => {
    const payout = scene.accepted({ fee: 0n });
    expect(scene.memory.get(holds, payout.holdId).amount).toBe(1_000n);
  });

  test('leaves less to the later payouts of its batch', () => {
    scene.change(scene.source, { postedCredits: 2_010n });
    const answers = scene.memory.run([scene.accepting(), scene.accepting(), scene.accepting()]);
    expect(answers).toMatchObject([
      { answer: { status: 202 } },
      { answer: { status: 202 } },
      { answer: { refused: 'insufficient_funds', facts: { available: 0n } } },
    ]);
  });
});

test('a dry run answers with the resulting balances, and changes nothing', () => {
  const before = scene.memory.dump();
  const answer = scene.memory.answer(scene.accepting({ dryRun: true }));
  if (answer.refused) throw new Error('refused');
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body.text)).toMatchObject({ dry_run: true, resulting_balances: [{ available: 8_995 }] });
  expect(scene.memory.dump()).toEqual(before);
  expect(scene.memory.rows(payouts).size).toBe(0);
});

describe('the end-to-end id', () => {
  test('has 35 characters that every rail accepts', () => {
    expect(endToEndId(newId(), 'key')).toMatch(/^[A-Z2-7]{34}0$/);
  });

  test('depends on book and key only', () => {
    const [book, other] = [newId(), newId()];
    expect(endToEndId(book, 'key')).toBe(endToEndId(book, 'key'));
    const ids = [endToEndId(book, 'key'), endToEndId(book, 'key2'), endToEndId(other, 'key')];
    expect(new Set(ids).size).toBe(3);
  });
});
