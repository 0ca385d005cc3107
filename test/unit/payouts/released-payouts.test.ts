/** The release of payouts that have waited: their limits, their rail and their arrival are those of the moment of the release. */
import { beforeEach, describe, expect, test } from 'vitest';
import { accounts } from '../../../src/ledger/account/account-table.ts';
import { newAccount } from '../../../src/ledger/account/chart.ts';
import { holds } from '../../../src/ledger/hold/hold-table.ts';
import { payoutCounterId, payoutCounters } from '../../../src/payouts/limits/payout-counter-table.ts';
import type { AcceptPayout } from '../../../src/payouts/payout/accept-payout.ts';
import { cancelPayout } from '../../../src/payouts/payout/cancel-payout.ts';
import type { Payout } from '../../../src/payouts/payout/payout.ts';
import { payouts } from '../../../src/payouts/payout/payout-table.ts';
import { type ReleaseRoute, releaseRoute } from '../../../src/payouts/payout/route-release.ts';
import { UNROUTED } from '../../../src/payouts/routing/route-payout.ts';
import { railSettingsOf } from '../../../src/rails/settings/read-rails-file.ts';
import { newId } from '../../../src/values/ids.ts';
import { LATEST_FORMS } from '../../support/forms.ts';
import { PayoutScene } from '../../support/memory-payouts.ts';
import { TEST_SECRET_BOX } from '../../support/secret-box.ts';

const at = (time: string) => Date.parse(time);
const LIMITS = { payout: null, day: 10_000n, month: 20_000n };
const routing = { ...UNROUTED, rail: 'sandbox', limits: LIMITS };
const limited: ReleaseRoute = () => routing;

let scene: PayoutScene;
let source: string;

beforeEach(() => {
  scene = new PayoutScene(LATEST_FORMS);
  scene.memory.book = { ...scene.memory.book, timeZone: 'Asia/Amman' };
  scene.memory.now = at('2027-01-10T12:00:00Z');
  source = newId();
  scene.memory.put(accounts, source, { ...newAccount(source, 'customer', 'JOD'), postedCredits: 1_000_000n });
});

const paying = (amount: bigint, change: Partial<AcceptPayout> = {}): Partial<AcceptPayout> => ({
  ...{ accountId: source, currency: 'JOD', amount, fee: 26n, routing },
  ...change,
});
const waiting = (amount: bigint, change: Partial<AcceptPayout> = {}) => scene.unapproved(paying(amount, change));
const scheduled = (amount: bigint, time: string) => scene.accepted(paying(amount, { scheduledFor: { at: at(time) } }));
const approving = (payout: Payout, route = limited) => scene.memory.answer(scene.judging(payout, 'approve', { route }));
function approved(payout: Payout): Payout {
  expect(approving(payout)).toMatchObject({ status: 200 });
  return scene.now(payout);
}
const counter = () => scene.memory.rows(payoutCounters).get(payoutCounterId(scene.bookId, 'JOD'));

describe('limits', () => {
  test('nothing counts while it waits; an approval counts on its own day in the zone of the book', () => {
    const payout = waiting(5_124n);
    expect(payout).toMatchObject({ status: 'requires_approval', countedOn: null });
    expect(counter()).toBeUndefined();
    scene.memory.now = at('2027-01-10T21:00:00Z');
    expect(approved(payout)).toMatchObject({ status: 'pending', countedOn: '2027-01-11' });
    expect(counter()).toMatchObject({ day: '2027-01-11', dayAmount: 5_124n, monthAmount: 5_124n });
  });

  test('an approval beyond a limit is refused and changes nothing; with room it is given again', () => {
    const payout = waiting(5_124n);
    scene.accepted(paying(4_877n));
    const before = scene.memory.dump();
    const refused = approving(payout);
    expect(refused).toMatchObject({
      refused: 'limit_exceeded',
      facts: { window: 'day', limit: 10_000n, used: 4_877n, remaining: 5_123n, resets_at: '2027-01-10T21:00:00.000Z' },
    });
    expect(refused).not.toHaveProperty('param');
    expect(scene.memory.dump()).toEqual(before);
    scene.memory.now = at('2027-01-10T21:00:00Z');
    expect(approved(payout).status).toBe('pending');
  });

  test('an approval without funds counts nothing', () => {
    const payout = waiting(9_000n);
    scene.change(source, { postedCredits: 9_025n });
    expect(approving(payout)).toMatchObject({ refused: 'insufficient_funds' });
    expect(counter()).toBeUndefined();
  });

  test('the limit of one payout holds too', () => {
    const one: ReleaseRoute = () => ({ ...routing, limits: { payout: 5_123n, day: null, month: null } });
    expect(approving(waiting(5_124n), one)).toMatchObject({ refused: 'limit_exceeded', facts: { window: 'payout' } });
    expect(counter()).toBeUndefined();
  });

  test('a scheduled one beyond a limit fails at its time, and counts nothing', () => {
    const payout = scheduled(5_124n, '2027-01-10T18:00:00Z');
    scene.accepted(paying(4_877n));
    const failed = scene.release(payout, { route: limited });
    expect(failed).toMatchObject({ status: 'failed', failureCode: 'limit_exceeded', unheld: true, countedOn: null });
    expect(counter()).toMatchObject({ dayAmount: 4_877n });
  });

  test('a scheduled one counts on the day of its time; beside it there is no room', () => {
    const [first, second] = [1, 2].map(() => scheduled(6_000n, '2027-01-10T21:00:00Z'));
    expect(scene.release(first!, { route: limited })).toMatchObject({ status: 'processing', countedOn: '2027-01-11' });
    expect(scene.release(second!, { route: limited })).toMatchObject({ failureCode: 'limit_exceeded' });
    expect(counter()).toMatchObject({ day: '2027-01-11', dayAmount: 6_000n });
  });

  test.each<[string, (payout: Payout) => unknown]>([
    ['canceled', (payout) => scene.cancel(payout)],
    ['failed', (payout) => scene.settle(scene.reserve(payout), { status: 'rejected' })],
  ])('what is %s gives back to the day on which it was released', (_, end) => {
    const payout = approved(waiting(5_124n));
    expect(counter()).toMatchObject({ dayAmount: 5_124n });
    end(payout);
    expect(counter()).toMatchObject({ day: '2027-01-10', dayAmount: 0n, monthAmount: 0n });
  });

  test('a cancelation that was asked for before the release gives back what the release counted', () => {
    const payout = waiting(5_124n);
    const canceling = cancelPayout(scene.bookId, payout, { requestId: newId(), actor: 'api_key:key_1' });
    approved(payout);
    expect(scene.memory.answer(canceling)).toMatchObject({ status: 200 });
    expect(scene.now(payout)).toMatchObject({ status: 'canceled', countedOn: '2027-01-10' });
    expect(counter()).toMatchObject({ dayAmount: 0n });
  });

  test('one that fails before it is on its way gives back in the same commit', () => {
    const payout = scheduled(5_124n, '2027-01-10T18:00:00Z');
    const kept = scene.release(payout, { route: limited, keptBack: true });
    expect(kept).toMatchObject({ status: 'pending', countedOn: '2027-01-10' });
    scene.change(source, { status: 'frozen' });
    expect(scene.reserve(kept)).toMatchObject({ failureCode: 'source_account_frozen' });
    expect(counter()).toMatchObject({ dayAmount: 0n });
  });
});

describe('the route', () => {
  const rail = (change: object = {}) => ({
    name: 'sandbox',
    mode: 'test',
    adapter: { type: 'sandbox' },
    currencies: [{ currency: 'JOD' }],
    ...change,
  });
  const routes = [{ destination: 'cliq', currencies: ['JOD'], rail: 'sandbox' }];
  /** By a file of rails, in a process that has these rails. */
  function routedBy(file: object, served = ['sandbox']): ReleaseRoute {
    const all = served.map((name) => ({ name, paysTokensOf: [] }));
    return releaseRoute({
      railSettings: railSettingsOf(JSON.stringify(file)),
      rails: { all: () => all, get: (name: string) => all.find((one) => one.name === name) },
      secretBox: TEST_SECRET_BOX,
    } as unknown as Parameters<typeof releaseRoute>[0]);
  }

  test('that is gone: an approval is refused and changes nothing, and a scheduled payout fails', () => {
    const gone = routedBy({ rails: [rail()], routes: [{ ...routes[0], maximum: 1_000 }] });
    const before = waiting(5_124n);
    const dump = scene.memory.dump();
    expect(approving(before, gone)).toMatchObject({ refused: 'rail_unavailable', facts: { lacks: 'amount' } });
    expect(scene.memory.dump()).toEqual(dump);
    const payout = scheduled(5_124n, '2027-01-10T18:00:00Z');
    const failed = scene.release(payout, { route: gone });
    expect(failed).toMatchObject({ status: 'failed', failureCode: 'rail_unavailable', unheld: true, rail: 'sandbox' });
    expect(scene.memory.rows(holds).size).toBe(0);
  });

  test('to a rail that this process has not is none', () => {
    const payout = scheduled(5_124n, '2027-01-10T18:00:00Z');
    expect(scene.release(payout, { route: routedBy({ rails: [], routes: [] }, ['other']) })).toMatchObject({
      failureCode: 'rail_unavailable',
    });
  });

  test('stays where the settings have nothing about it, and fee and settings are those of its making', () => {
    const payout = waiting(5_124n, { routing: { ...routing, configuration: 'ab'.repeat(32) } });
    expect(approving(payout, routedBy({ rails: [], routes: [] }))).toMatchObject({ status: 200 });
    const { rail: name, fee, configuration, countedOn } = scene.now(payout);
    expect([name, fee, configuration, countedOn]).toEqual(['sandbox', 26n, 'ab'.repeat(32), null]);
  });

  test('within the book stays the rail of the book', () => {
    const target = newId();
    scene.memory.put(accounts, target, newAccount(target, 'customer', 'JOD'));
    const to = { destination: { type: 'account', accountId: target }, rail: 'book' } as const;
    expect(approving(waiting(5_124n, to), routedBy({ rails: [], routes: [] }, []))).toMatchObject({ status: 200 });
  });

  test('says when the money arrives, by its days from the release', () => {
    const weekly = { time_zone: 'Asia/Amman', cut_off: '16:00', calendar: { name: 'fri_sat' }, days_to_arrive: 1 };
    const payout = waiting(5_124n);
    expect(payout.expectedArrival).toBe(at('2027-01-10T12:00:00Z'));
    // Thursday after the cut-off: executed on Sunday, there on Monday.
    scene.memory.now = at('2027-01-14T13:00:00Z');
    expect(approving(payout, routedBy({ rails: [rail(weekly)], routes }))).toMatchObject({ status: 200 });
    expect(scene.now(payout).expectedArrival).toBe(at('2027-01-17T21:00:00Z'));
  });

  test('to another rail is taken, but for what was resolved at the first', () => {
    const other: ReleaseRoute = releaseRoute({
      railSettings: railSettingsOf(JSON.stringify({ rails: [rail()], routes })),
      rails: { all: () => [{ name: 'sandbox', paysTokensOf: [] }], get: () => ({ name: 'sandbox' }) },
      secretBox: { open: () => JSON.stringify({ alias: 'ACME' }) },
    } as unknown as Parameters<typeof releaseRoute>[0]);
    const payout = waiting(5_124n, { rail: 'gateway' });
    expect(approving(payout, other)).toMatchObject({ status: 200 });
    expect(scene.now(payout).rail).toBe('sandbox');
    const { destination } = payout;
    if (destination.type === 'account') throw new Error('Goes by a rail');
    const resolved = waiting(5_124n, {
      rail: 'gateway',
      destination: { ...destination, accountSealed: Buffer.from('sealed') },
    });
    expect(approving(resolved, other)).toMatchObject({ refused: 'rail_unavailable' });
    expect(scene.memory.get(payouts, resolved.id).rail).toBe('gateway');
  });
});
