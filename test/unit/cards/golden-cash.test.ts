/** Golden scenarios of cash and cashback (cards-scenarios.md, G53 and G54), against the pure core. */
import { beforeEach, describe, expect, test } from 'vitest';
import { kindOf } from '../../../src/cards/purchase/purchase-facts.ts';
import { type Asked, CardPlayer } from './card-player.ts';
import { said } from './decision-values.ts';

let player: CardPlayer;

beforeEach(() => {
  player = new CardPlayer();
});

const PARTIAL: Asked = { partialApprovalAllowed: true };

test('G53 quasi-cash where cash is blocked', () => {
  player.control('card', { cash: 'block' });
  const kind = kindOf({ kind: null, mcc: '6051' });
  const decision = player.authorize('A', 5_000n, { facts: { kind, mcc: '6051' } });
  expect(said(decision)).toBe('declined cash_blocked, 57');
  expect(player.held).toBe(0n);
});

describe('G54 cashback where cash is blocked', () => {
  const cashback: Asked = { cashbackAmount: 2_000n };

  test('the purchase is approved without its cash', () => {
    player.control('card', { cash: 'block' });
    expect(said(player.authorize('A', 5_000n, { ...cashback, ...PARTIAL }))).toBe('approved 3000, 87');
    expect(player.hold('A')).toBe(3_000n);
    player.clear('A', 3_000n);
    expect([player.hold('A'), player.balance]).toEqual([0n, 97_000n]);
  });

  test('without partial approval the whole is declined', () => {
    player.control('card', { cash: 'block' });
    expect(said(player.authorize('A', 5_000n, cashback))).toBe('declined cash_blocked, 57');
  });

  test.each`
    posted    | answer
    ${5_000n} | ${'approved 5000, 00'}
    ${4_999n} | ${'approved 3000, 87'}
    ${3_000n} | ${'approved 3000, 87'}
    ${2_999n} | ${'declined insufficient_funds, 51'}
  `('with $posted posted it is $answer: never a part beside cash', ({ posted, answer }) => {
    player.account = { ...player.account, posted };
    expect(said(player.authorize('A', 5_000n, { ...cashback, ...PARTIAL }))).toBe(answer);
  });

  test('cash alone is no purchase', () => {
    player.control('card', { cash: 'block' });
    expect(said(player.authorize('A', 5_000n, { cashbackAmount: 5_000n, ...PARTIAL }))).toBe(
      'declined cash_blocked, 57',
    );
  });
});
