/** Golden scenarios of limits and decisions (cards-scenarios.md, section E), against the pure core. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Decision } from '../../../src/cards/decision/decide.ts';
import type { EndpointAnswer } from '../../../src/cards/decision/decision-input.ts';
import { type Asked, CardPlayer } from './card-player.ts';
import { cardOf, DAY_MS, limitOf, START, said } from './decision-values.ts';

let player: CardPlayer;

beforeEach(() => {
  player = new CardPlayer();
});

function failing({ rules }: Decision): string[] {
  return rules.filter(({ verdict }) => verdict !== 'pass').map(({ rule, verdict }) => `${rule} ${verdict}`);
}

function amountOf(...limit: Parameters<CardPlayer['usage']>): string {
  const { amount } = player.usage(...limit);
  return `${amount!.used}, ${amount!.remaining}`;
}

function countOf(): string {
  const { count } = player.usage('card');
  return `${count!.used}, ${count!.remaining}`;
}

const PARTIAL: Asked = { partialApprovalAllowed: true };

test('G55 a day limit', () => {
  player.control('card', {
    limits: [limitOf({ amount: 50_000n }), limitOf({ window: 'all_time', amount: 1n << 60n })],
  });
  const restaurant: Asked = { ...PARTIAL, facts: { mcc: '5812' } };
  expect(said(player.authorize('A', 30_000n))).toBe('approved 30000, 00');
  expect(amountOf('card')).toBe('30000, 20000');
  const declined = player.authorize('B', 25_000n);
  expect(said(declined)).toBe('declined limit_period, 61');
  expect(declined.rules.find(({ verdict }) => verdict === 'fail')!.measure).toEqual({
    limit: 50_000n,
    used: 30_000n,
    remaining: 20_000n,
  });
  expect(amountOf('card')).toBe('30000, 20000');
  expect(said(player.authorize('C', 25_000n, restaurant))).toBe('approved 20000, 10');
  expect(amountOf('card')).toBe('50000, 0');
  player.reverse('A', 10_000n);
  expect(amountOf('card')).toBe('40000, 10000');
  expect(player.clear('C', 24_000n)).toMatchObject({ flags: ['over_cleared'], exception: null });
  expect(amountOf('card')).toBe('44000, 6000');
  player.refund('C', 5_000n);
  expect(amountOf('card')).toBe('44000, 6000');
  player.now += 7 * DAY_MS;
  expect(player.expire('A').after).toMatchObject({ status: 'expired', amounts: { held: 0n } });
  expect(amountOf('card')).toBe('0, 50000');
  expect(player.counter('card').allTime).toEqual({ amount: 24_000n, count: 1n });
});

test('G56 a limit per purchase and an increment', () => {
  player.control('card', { limits: [limitOf({ window: 'authorization', amount: 20_000n })] });
  const lodging: Asked = { facts: { mcc: '7011' } };
  const measured = ({ rules }: Decision) => rules.find(({ rule }) => rule === 'limit')!.measure;
  expect(said(player.authorize('A', 15_000n, lodging))).toBe('approved 15000, 00');
  const declined = player.increment('A', 6_000n);
  expect(said(declined)).toBe('declined limit_per_authorization, 61');
  expect(measured(declined)).toEqual({ limit: 20_000n, used: 15_000n, remaining: 5_000n });
  expect(said(player.increment('A', 5_000n))).toBe('approved 5000, 00');
  expect(measured(player.increment('A', 1n))).toEqual({ limit: 20_000n, used: 20_000n, remaining: 0n });
});

test('G57 a count', () => {
  player.control('card', { limits: [limitOf({ count: 2n })] });
  expect(said(player.authorize('A', 1_000n))).toBe('approved 1000, 00');
  expect(countOf()).toBe('1, 1');
  expect(said(player.authorize('V', 0n, { facts: { kind: 'account_verification' } }))).toBe('approved 0, 85');
  expect(countOf()).toBe('1, 1');
  expect(said(player.authorize('B', 1_000n))).toBe('approved 1000, 00');
  expect(countOf()).toBe('2, 0');
  expect(said(player.increment('B', 500n))).toBe('approved 500, 00');
  expect(countOf()).toBe('2, 0');
  expect(said(player.authorize('C', 1_000n))).toBe('declined velocity_count, 65');
  expect(countOf()).toBe('2, 0');
  player.reverse('A');
  expect(countOf()).toBe('1, 1');
  expect(said(player.authorize('D', 1_000n))).toBe('approved 1000, 00');
  expect(countOf()).toBe('2, 0');
  // No count is used up by what holds nothing, also when none is left.
  expect(said(player.authorize('W', 0n, { facts: { kind: 'account_verification' } }))).toBe('approved 0, 85');
});

test('G58 forced posts and advices count, and remaining stops at 0', () => {
  player.control('card', { limits: [limitOf({ window: 'month', amount: 50_000n })] });
  expect(player.clear('F', 40_000n).flags).toEqual(['forced']);
  expect(amountOf('card')).toBe('40000, 10000');
  player.advise('S', 30_000n);
  expect(amountOf('card')).toBe('70000, 0');
  expect(said(player.authorize('A', 1n))).toBe('declined limit_period, 61');
  expect(amountOf('card')).toBe('70000, 0');
  player.reverseClearing('F', 40_000n);
  expect(amountOf('card')).toBe('30000, 20000');
});

test("G59 January's authorization is reversed in February", () => {
  player.now = Date.parse('2027-01-31T23:59:59Z');
  player.control('card', {
    limits: [limitOf({ window: 'month', amount: 50_000n }), limitOf({ window: 'year', amount: 100_000n })],
  });
  const both = () => [amountOf('card', 0), amountOf('card', 1)];
  player.authorize('A', 20_000n);
  expect(both()).toEqual(['20000, 30000', '20000, 80000']);
  player.now = Date.parse('2027-02-01T00:00:00Z');
  expect(both()).toEqual(['0, 50000', '20000, 80000']);
  player.authorize('B', 10_000n);
  expect(both()).toEqual(['10000, 40000', '30000, 70000']);
  player.reverse('A');
  expect(both()).toEqual(['10000, 40000', '10000, 90000']);
});

test('G60 midnight in another time zone', () => {
  player.program = { ...player.program, timeZone: 'Asia/Amman' };
  player.control('card', { limits: [limitOf({ amount: 10_000n })] });
  player.now = Date.parse('2027-03-01T20:59:59Z');
  expect(said(player.authorize('A', 8_000n))).toBe('approved 8000, 00');
  expect(amountOf('card')).toBe('8000, 2000');
  expect(player.usage('card').resetsAt).toBe(Date.parse('2027-03-01T21:00:00Z'));
  player.now = Date.parse('2027-03-01T21:00:00Z');
  expect(said(player.authorize('B', 8_000n))).toBe('approved 8000, 00');
  expect(amountOf('card')).toBe('8000, 2000');
});

test('G61 a limit for cash alone', () => {
  player.control('account', { limits: [limitOf({ amount: 30_000n, for: { kinds: ['cash', 'quasi_cash'] } })] });
  const cash: Asked = { facts: { kind: 'cash', mcc: '6011' } };
  const scopesOfFailed = ({ rules }: Decision) =>
    rules.filter(({ verdict }) => verdict === 'fail').map((one) => one.scope);
  player.authorize('A', 40_000n);
  expect(amountOf('account')).toBe('0, 30000');
  player.authorize('B', 25_000n, cash);
  expect(amountOf('account')).toBe('25000, 5000');
  expect(player.usage('account').countedSince).toBe(START);
  const declined = player.authorize('C', 6_000n, cash);
  expect([said(declined), scopesOfFailed(declined)]).toEqual(['declined limit_period, 61', ['account']]);
  const other = player.authorize('D', 6_000n, { ...cash, card: cardOf({ id: 'card-b' }) });
  expect([said(other), scopesOfFailed(other)]).toEqual(['declined limit_period, 61', ['account']]);
  expect(amountOf('account')).toBe('25000, 5000');
});

test('G62 the strictest scope decides', () => {
  player.control('card', { limits: [limitOf({ window: 'month', amount: 100_000n })] });
  player.control('account', { limits: [limitOf({ window: 'month', amount: 60_000n })] });
  player.control('program', { limits: [limitOf({ window: 'authorization', amount: 50_000n })] });
  const declined = player.authorize('A', 55_000n);
  expect(said(declined)).toBe('declined limit_per_authorization, 61');
  expect(declined.rules.find(({ verdict }) => verdict === 'fail')!.scope).toBe('program');
  expect(amountOf('account')).toBe('0, 60000');
  expect(said(player.authorize('B', 45_000n))).toBe('approved 45000, 00');
  expect(amountOf('account')).toBe('45000, 15000');
  expect(said(player.authorize('C', 20_000n, PARTIAL))).toBe('approved 15000, 10');
  expect(amountOf('account')).toBe('60000, 0');
});

test('G63 a budget that refunds fill up again', () => {
  player.control('card', { limits: [limitOf({ window: 'all_time', amount: 10_000n, netOfRefunds: true })] });
  player.authorize('A', 10_000n);
  player.clear('A', 10_000n);
  expect(amountOf('card')).toBe('10000, 0');
  player.refund('A', 4_000n);
  expect(amountOf('card')).toBe('6000, 4000');
  expect(said(player.authorize('B', 5_000n))).toBe('declined limit_period, 61');
  expect(amountOf('card')).toBe('6000, 4000');
  player.reverseRefund('A', 4_000n);
  expect(amountOf('card')).toBe('10000, 0');
});

test('G64 shadow', () => {
  const restaurant: Asked = { facts: { mcc: '5812' } };
  player.control('card', { limits: [limitOf({ amount: 5_000n })], mcc: { block: ['5812'] } }, 'shadow');
  const decision = player.authorize('A', 8_000n, restaurant);
  expect(said(decision)).toBe('approved 8000, 00');
  expect(failing(decision)).toEqual(['mcc shadow_fail', 'limit shadow_fail']);
  expect(amountOf('card', 0, 'shadow')).toBe('8000, 0');
  expect([player.hold('A'), player.counter('card').day.amount]).toEqual([8_000n, 8_000n]);
});

test('G65 several rules fail', () => {
  player.card = cardOf({ status: 'frozen' });
  player.account = { ...player.account, posted: 0n };
  player.control('card', { countries: { block: ['US'] } });
  const decision = player.authorize('A', 100n);
  expect(said(decision)).toBe('declined card_frozen, 62');
  expect(failing(decision)).toEqual(['card_status fail', 'country fail', 'funds fail']);
});

describe('G66 the decision endpoint', () => {
  const approves = (approvedAmount: bigint): EndpointAnswer => ({
    source: 'endpoint',
    decision: 'approved',
    approvedAmount,
  });
  const declines: EndpointAnswer = { source: 'endpoint', decision: 'declined', declineCode: 'suspected_fraud' };
  const unavailable: EndpointAnswer = { source: 'default', decision: 'declined' };

  test.each`
    answer                                         | message    | said                                   | source
    ${approves(4_000n)}                            | ${PARTIAL} | ${'approved 4000, 10'}                 | ${'endpoint'}
    ${approves(4_000n)}                            | ${{}}      | ${'declined decision_declined, 05'}    | ${'endpoint'}
    ${approves(9_000n)}                            | ${{}}      | ${'approved 6000, 00'}                 | ${'endpoint'}
    ${approves(0n)}                                | ${PARTIAL} | ${'declined decision_declined, 05'}    | ${'endpoint'}
    ${declines}                                    | ${PARTIAL} | ${'declined suspected_fraud, 59'}      | ${'endpoint'}
    ${unavailable}                                 | ${PARTIAL} | ${'declined decision_unavailable, 05'} | ${'default'}
    ${{ source: 'default', decision: 'approved' }} | ${{}}      | ${'approved 6000, 00'}                 | ${'default'}
  `('$answer with $message: $said', ({ answer, message, said: expected, source }) => {
    const decision = player.authorize('A', 6_000n, { ...message, endpoint: answer });
    expect([said(decision), decision.source]).toEqual([expected, source]);
  });

  test('what our rules decline they decline', () => {
    const decision = player.authorize('A', 100_001n, { endpoint: approves(100_001n) });
    expect([said(decision), decision.source]).toEqual(['declined insufficient_funds, 51', 'rules']);
  });

  test('the smaller of what the endpoint and what the funds allow is approved', () => {
    player.account = { ...player.account, posted: 3_000n };
    expect(said(player.authorize('A', 6_000n, { ...PARTIAL, endpoint: approves(4_000n) }))).toBe('approved 3000, 10');
  });
});

test('G89 an authorization on a frozen account', () => {
  player.authorize('A', 5_000n);
  player.account = { ...player.account, status: 'frozen' };
  expect(said(player.authorize('B', 1n))).toBe('declined account_frozen, 62');
  expect(player.hold('A')).toBe(5_000n);
});

describe('a purchase counts where it began', () => {
  const lodging: Asked = { facts: { mcc: '7011' } };

  test('an increment on another day uses up nothing of that day, and more of the month', () => {
    player.control('card', {
      limits: [limitOf({ amount: 20_000n }), limitOf({ window: 'month', amount: 30_000n })],
    });
    player.authorize('A', 20_000n, lodging);
    player.now += DAY_MS;
    player.authorize('B', 5_000n);
    expect(said(player.increment('A', 5_000n))).toBe('approved 5000, 00');
    expect([amountOf('card', 0), amountOf('card', 1)]).toEqual(['5000, 15000', '30000, 0']);
    expect(said(player.increment('A', 1n))).toBe('declined limit_period, 61');
  });

  test('a limit with a filter counts purchases that began since its version is in force', () => {
    player.authorize('A', 20_000n, lodging);
    player.now += 1_000;
    player.control('card', { limits: [limitOf({ amount: 10_000n, for: { mccs: ['7011'] } })] });
    expect(said(player.increment('A', 15_000n))).toBe('approved 15000, 00');
    expect(amountOf('card')).toBe('0, 10000');
    expect(said(player.authorize('B', 15_000n, lodging))).toBe('declined limit_period, 61');
    expect(player.usage('card').countedSince).toBe(START + 1_000);
  });

  test('in the moment in which its version comes into force, what came first counts nothing later', () => {
    player.authorize('A', 4_000n, lodging);
    player.control('card', { limits: [limitOf({ amount: 5_000n, for: { mccs: ['7011'] } })] });
    expect(said(player.increment('A', 1_000n))).toBe('approved 1000, 00');
    expect(amountOf('card')).toBe('0, 5000');
    player.authorize('B', 4_000n, lodging);
    expect(said(player.increment('B', 1_000n))).toBe('approved 1000, 00');
    expect(amountOf('card')).toBe('5000, 0');
  });
});
