/** Golden scenarios of cards and tokens (cards-scenarios.md, section F), against the pure core. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Card, ReplacementReason } from '../../../src/cards/card/card.ts';
import { closingsByActivation, endsLine, replaceCard } from '../../../src/cards/card/card-line.ts';
import { UNBLOCKED_PIN } from '../../../src/cards/card/card-pin.ts';
import { cardOfToken } from '../../../src/cards/tokens/card-token.ts';
import type { MessageStep } from '../../../src/transactions/purchase/take-message.ts';
import { type Asked, CardPlayer } from './card-player.ts';
import { cardOf, limitOf, START, said } from './decision-values.ts';

let player: CardPlayer;

beforeEach(() => {
  player = new CardPlayer();
});

/** A line with its newest card replaced, as the rows would be. */
function replaced(line: readonly Card[], reason: ReplacementReason, id: string): Card[] {
  const old = line.at(-1)!;
  const { successor, closings } = replaceCard(line, old, reason);
  const { keepsNumber: _, ...inherited } = successor;
  const withLinks = line.map((card) => (card.id === old.id ? { ...card, replacedBy: id } : card));
  return [...closed(withLinks, closings), cardOf({ id, ...inherited })];
}

function closed(line: readonly Card[], closings: ReturnType<typeof closingsByActivation>): Card[] {
  const reasons = new Map(closings.map(({ cardId, closedReason }) => [cardId, closedReason]));
  return line.map((card) =>
    reasons.has(card.id) ? { ...card, status: 'closed', closedReason: reasons.get(card.id)! } : card,
  );
}

function activated(line: readonly Card[], id: string): Card[] {
  const card = line.find((one) => one.id === id)!;
  const after = closed(line, closingsByActivation(line, card));
  return after.map((one) => (one.id === id ? { ...one, status: 'active' } : one));
}

/** `C→S 700; forced`: what a message has posted, and its flags. */
function shown({ entries, flags }: MessageStep): string {
  const letters = { customer: 'C', scheme_settlement: 'S', due_operator: 'D', pool: 'P' };
  const postings = entries.flatMap((entry) => entry.postings);
  const posted = postings.map(({ debit, credit, amount }) => `${letters[debit]}→${letters[credit]} ${amount}`);
  return `${posted.join(', ')}; ${flags.join(', ')}`;
}

const statuses = (line: readonly Card[]) => line.map(({ status }) => status);

describe('G67 single_use', () => {
  test('the card closes at its first approved amount above zero', () => {
    player.card = cardOf({ type: 'single_use' });
    expect(said(player.authorize('V', 0n, { facts: { kind: 'account_verification' } }))).toBe('approved 0, 85');
    expect(player.card.status).toBe('active');
    expect(said(player.authorize('A', 5_000n))).toBe('approved 5000, 00');
    expect([player.card.status, player.card.closedReason]).toEqual(['closed', 'used']);
    expect(said(player.authorize('B', 1n))).toBe('declined card_closed, 46');
    player.reverse('A');
    expect([player.hold('A'), player.card.status]).toEqual([0n, 'closed']);
    expect(shown(player.clear('A', 5_000n))).toBe('C→S 5000; late');
    expect(player.balance).toBe(95_000n);
    expect(shown(player.refund('A', 5_000n))).toBe('S→C 5000; ');
    expect(player.balance).toBe(100_000n);
  });

  test('neither a declined request nor a credit closes it', () => {
    player.card = cardOf({ type: 'single_use' });
    player.authorize('A', 100_001n);
    player.authorize('B', 500n, { facts: { kind: 'refund' } });
    expect(player.card.status).toBe('active');
  });
});

describe('G68 merchant_locked', () => {
  test('the card is bound to merchant and acquirer of its first approval', () => {
    player.card = cardOf({ type: 'merchant_locked' });
    const at = (merchantId: string, acquirerId: string): Asked => ({ facts: { merchantId, acquirerId } });
    expect(said(player.authorize('A', 1_000n, at('M1', 'Q1')))).toBe('approved 1000, 00');
    expect(player.card.lockedTo).toEqual({ merchantId: 'M1', acquirerId: 'Q1' });
    expect(said(player.authorize('B', 1_000n, at('M2', 'Q1')))).toBe('declined merchant_blocked, 57');
    expect(said(player.authorize('C', 1_000n, at('M1', 'Q2')))).toBe('declined merchant_blocked, 57');
    expect(said(player.authorize('D', 1_000n, at('M1', 'Q1')))).toBe('approved 1000, 00');
    expect(shown(player.clear('F', 700n, at('M2', 'Q1')))).toBe('C→S 700; forced');
    expect(player.balance).toBe(99_300n);
  });

  test.each`
    kind                      | bound
    ${'account_verification'} | ${{ merchantId: 'M1', acquirerId: null }}
    ${'transfer_out'}         | ${{ merchantId: 'M1', acquirerId: null }}
    ${'balance_inquiry'}      | ${null}
    ${'refund'}               | ${null}
    ${'transfer_in'}          | ${null}
  `('an approved $kind binds it to $bound', ({ kind, bound }) => {
    player.card = cardOf({ type: 'merchant_locked' });
    player.authorize('A', 0n, { facts: { kind, acquirerId: null } });
    expect(player.card.lockedTo).toEqual(bound);
  });

  test('its successor is bound as well', () => {
    const lockedTo = { merchantId: 'M1', acquirerId: 'Q1' };
    const line = [cardOf({ type: 'merchant_locked', lockedTo })];
    expect(replaced(line, 'lost', 'card-b')[1]!.lockedTo).toEqual(lockedTo);
  });
});

test('G69 lost, and recurring afterwards', () => {
  player.control('card', { limits: [limitOf({ amount: 10_000n })] });
  const recurring: Asked = { facts: { entryMode: 'recurring' } };
  expect(said(player.authorize('A', 3_000n))).toBe('approved 3000, 00');
  const [old, next] = replaced([player.card], 'lost', 'card-b') as [Card, Card];
  expect([old.status, old.closedReason, next.status]).toEqual(['closed', 'lost', 'active']);
  expect(said(player.authorize('R', 4_000n, { ...recurring, card: old }))).toBe('declined card_closed, 41');
  expect(said(player.authorize('S', 4_000n, { ...recurring, card: next }))).toBe('approved 4000, 00');
  expect(player.usage('card').amount).toMatchObject({ used: 7_000n, limit: 10_000n });
  expect(shown(player.clear('A', 3_000n))).toBe('C→S 3000; ');
  expect(player.usage('card').amount!.used).toBe(7_000n);
  expect(player.balance).toBe(97_000n);
});

test('G69 a stolen card is declined as one', () => {
  const [old] = replaced([player.card], 'stolen', 'card-b') as [Card, Card];
  expect(said(player.authorize('A', 100n, { card: old }))).toBe('declined card_closed, 43');
});

test('G70 damaged, the same number goes on', () => {
  const first = cardOf({ type: 'physical', pinFailures: 2 });
  expect(replaceCard([first], first, 'damaged').successor.keepsNumber).toBe(true);
  let line = replaced([first], 'damaged', 'card-b');
  expect(statuses(line)).toEqual(['active', 'pending_activation']);
  // The PIN belongs to the number.
  expect(line[1]!.pinFailures).toBe(2);
  expect(said(player.authorize('A', 100n, { card: line[0]! }))).toBe('approved 100, 00');
  line = activated(line, 'card-b');
  expect(statuses(line)).toEqual(['closed', 'active']);
  expect(line[0]!.closedReason).toBe('damaged');
  expect(said(player.authorize('B', 100n, { card: line[0]! }))).toBe('declined card_closed, 46');
});

test('G71 a token, then the card is replaced', () => {
  const contactless: Asked = { facts: { entryMode: 'contactless' } };
  let line = replaced([cardOf({ type: 'physical' })], 'stolen', 'card-b');
  expect(statuses(line)).toEqual(['closed', 'pending_activation']);
  expect(endsLine(line, [])).toBe(false);
  const card = cardOfToken(line, START);
  expect(card.id).toBe('card-b');
  expect(said(player.authorize('A', 2_000n, { ...contactless, card, token: 'active' }))).toBe('approved 2000, 00');
  expect(player.hold('A')).toBe(2_000n);
  expect(said(player.authorize('B', 2_000n, { card }))).toBe('declined card_not_active, 78');
  const suspended = player.authorize('C', 1_000n, { ...contactless, card, token: 'suspended' });
  expect(said(suspended)).toBe('declined token_suspended, 62');
  const closing = [{ cardId: 'card-b', closedReason: 'requested' as const }];
  expect(endsLine(line, closing)).toBe(true);
  line = closed(line, closing);
  expect(said(player.authorize('D', 1n, { card: cardOfToken(line, START), token: 'deactivated' }))).toBe(
    'declined card_closed, 46',
  );
});

describe('the card that a token pays with', () => {
  test('is the old one while that pays, and the new one from its activation on', () => {
    const line = replaced([cardOf({ type: 'physical' })], 'damaged', 'card-b');
    expect(cardOfToken(line, START).id).toBe('card-a');
    expect(cardOfToken(activated(line, 'card-b'), START).id).toBe('card-b');
  });

  test('is the old one while that is frozen: a renewal on its way sets nothing free', () => {
    const line = replaced([cardOf({ type: 'physical', status: 'frozen' })], 'renewal', 'card-b');
    const card = cardOfToken(line, START);
    expect(said(player.authorize('A', 1n, { card, token: 'active' }))).toBe('declined card_frozen, 62');
  });

  test('is the renewal that waits once the old one has expired', () => {
    const line = replaced([cardOf({ type: 'physical', expMonth: 3, expYear: 2027 })], 'renewal', 'card-b');
    expect(cardOfToken(line, Date.UTC(2027, 2, 31)).id).toBe('card-a');
    expect(cardOfToken(line, Date.UTC(2027, 3, 1)).id).toBe('card-b');
  });

  test('is the one before a replacement that nobody issued', () => {
    const [old, next] = replaced([cardOf({ type: 'physical' })], 'damaged', 'card-b') as [Card, Card];
    const line = [
      { ...old, replacedBy: null },
      { ...next, status: 'closed' as const, closedReason: 'not_issued' as const },
    ];
    expect(cardOfToken(line, START).id).toBe('card-a');
  });
});

describe('a line of replacements', () => {
  test('a stolen card closes the old one that was still in use: both have its number', () => {
    const line = replaced(replaced([cardOf({ type: 'physical' })], 'renewal', 'card-b'), 'stolen', 'card-c');
    expect(statuses(line)).toEqual(['closed', 'closed', 'pending_activation']);
    expect(line.map(({ closedReason }) => closedReason)).toEqual(['stolen', 'stolen', null]);
  });

  test('activating the newest closes every card before it', () => {
    const line = replaced(replaced([cardOf({ type: 'physical' })], 'renewal', 'card-b'), 'damaged', 'card-c');
    expect(statuses(line)).toEqual(['active', 'pending_activation', 'pending_activation']);
    expect(statuses(activated(line, 'card-c'))).toEqual(['closed', 'closed', 'active']);
    expect(statuses(activated(line, 'card-b'))).toEqual(['closed', 'active', 'pending_activation']);
  });

  test('a virtual card is renewed at once, and stays frozen if it was', () => {
    expect(statuses(replaced([cardOf()], 'renewal', 'card-b'))).toEqual(['closed', 'active']);
    expect(statuses(replaced([cardOf({ status: 'frozen' })], 'renewal', 'card-b'))).toEqual(['closed', 'frozen']);
    expect(statuses(replaced([cardOf({ status: 'frozen' })], 'lost', 'card-b'))).toEqual(['closed', 'active']);
  });

  test('a new number has a PIN of its own', () => {
    const [, next] = replaced([cardOf({ pinStatus: 'blocked', pinFailures: 3 })], 'lost', 'card-b') as [Card, Card];
    expect([next.pinStatus, next.pinFailures]).toEqual(['ok', 0]);
  });
});

describe('G72 the PIN', () => {
  let asked = 0;
  const enter = (pinResult: 'match' | 'no_match') => said(player.authorize(`${asked++}`, 1_000n, { pinResult }));

  test('the third wrong one blocks it, and stops PIN entry alone', () => {
    expect(Array.from({ length: 3 }, () => enter('no_match'))).toEqual(Array(3).fill('declined pin_incorrect, 55'));
    expect(player.card.pinStatus).toBe('blocked');
    expect(enter('match')).toBe('declined pin_blocked, 75');
    expect(said(player.authorize('E', 1_000n, { facts: { entryMode: 'ecommerce' } }))).toBe('approved 1000, 00');
    player.card = { ...player.card, ...UNBLOCKED_PIN };
    expect(enter('match')).toBe('approved 1000, 00');
    expect(player.card.pinFailures).toBe(0);
  });

  test('a right one sets the count to 0', () => {
    for (const result of ['no_match', 'match', 'no_match', 'no_match'] as const) enter(result);
    expect([player.card.pinStatus, player.card.pinFailures]).toEqual(['ok', 2]);
  });

  test('a wrong one counts whatever else declines', () => {
    player.card = cardOf({ status: 'frozen' });
    expect(enter('no_match')).toBe('declined card_frozen, 62');
    expect(player.card.pinFailures).toBe(1);
  });
});

test('G73 the card expires', () => {
  player.card = cardOf({ expMonth: 6, expYear: 2027 });
  player.now = Date.parse('2027-06-30T23:59:59.999Z');
  expect(said(player.authorize('A', 1_000n))).toBe('approved 1000, 00');
  player.now = Date.parse('2027-07-01T00:00:00.000Z');
  expect(said(player.authorize('B', 1_000n))).toBe('declined card_expired, 54');
  expect(shown(player.clear('A', 1_000n))).toBe('C→S 1000; ');
  expect(player.balance).toBe(99_000n);
  expect(shown(player.refund('A', 1_000n))).toBe('S→C 1000; ');
  expect(player.balance).toBe(100_000n);
  expect(said(player.authorize('C', 1_000n, { facts: { kind: 'refund' } }))).toBe('approved 1000, 00');
});

test('G74 frozen', () => {
  player.authorize('A', 5_000n);
  player.card = { ...player.card, status: 'frozen' };
  expect(player.hold('A')).toBe(5_000n);
  expect(said(player.increment('A', 1_000n))).toBe('declined card_frozen, 62');
  expect(player.hold('A')).toBe(5_000n);
  expect(shown(player.clear('A', 5_000n))).toBe('C→S 5000; ');
  expect(player.balance).toBe(95_000n);
  const pushed = player.authorize('T', 700n, { form: 'single', facts: { kind: 'transfer_in' } });
  expect([said(pushed), player.balance]).toEqual(['approved 700, 00', 95_700n]);
});

describe('G75 controls that cannot be evaluated', () => {
  test('an MCC that nobody lists is in no allow list', () => {
    player.control('card', { mcc: { allow: ['5411'] } });
    const decision = player.authorize('A', 1_000n, { facts: { mcc: '9998' } });
    expect([said(decision), decision.flags]).toEqual(['declined mcc_blocked, 57', ['unlisted']]);
  });

  test('a country that nobody lists is in no block list', () => {
    player.control('card', { countries: { block: ['RU'] } });
    const decision = player.authorize('A', 1_000n, { facts: { country: 'XZ' } });
    expect([said(decision), decision.flags]).toEqual(['approved 1000, 00', ['unlisted']]);
  });

  test.each`
    amount    | entryMode      | threeDSecure       | answer
    ${5_000n} | ${'ecommerce'} | ${null}            | ${'approved 5000, 00'}
    ${5_001n} | ${'ecommerce'} | ${'not_performed'} | ${'declined three_d_secure_required, 1A'}
    ${5_001n} | ${'ecommerce'} | ${null}            | ${'declined three_d_secure_required, 1A'}
    ${5_001n} | ${'ecommerce'} | ${'failed'}        | ${'declined three_d_secure_required, 1A'}
    ${5_001n} | ${'ecommerce'} | ${'attempted'}     | ${'declined three_d_secure_required, 1A'}
    ${5_001n} | ${'ecommerce'} | ${'authenticated'} | ${'approved 5001, 00'}
    ${9_000n} | ${'recurring'} | ${null}            | ${'approved 9000, 00'}
  `('$entryMode of $amount with 3-D Secure $threeDSecure: $answer', ({ amount, entryMode, threeDSecure, answer }) => {
    player.control('card', { requireThreeDSecureAbove: 5_000n });
    expect(said(player.authorize('A', amount, { facts: { entryMode }, threeDSecure }))).toBe(answer);
  });
});
