/** What a request is answered: the rule of the purchase, and what was decided as part of the message. */
import { describe, expect, test } from 'vitest';
import { type Incoming, isRepeatOf, type Message } from '../../../src/transactions/message/message.ts';
import { decideRequest } from '../../../src/transactions/purchase/decide-request.ts';
import { purchaseRule } from '../../../src/transactions/purchase/purchase-rule.ts';
import { stateOf } from '../../../src/transactions/purchase/purchase-state.ts';
import {
  advice,
  authorization,
  clearing,
  eur,
  expiry,
  increment,
  PARTIAL,
  refundRequest,
  reversal,
  type Said,
  SINGLE,
} from './messages.ts';

const NO_FEES = { cash: null, quasiCash: null, foreignCurrency: null };
const TERMS = { currency: 'USD', mcc: '5411', tolerancePercent: 0, fees: NO_FEES };

/** Requests are approved whole. */
function stateAfter(...said: Said[]) {
  const messages = said.map((message, index) => {
    const named = { ...message, reference: `m${index}` };
    if (named.type !== 'authorization' && named.type !== 'increment') return named;
    const { amount, merchant } = named;
    return { ...named, decision: { isApproved: true, amount, authorized: amount, merchant } };
  }) as Message[];
  return stateOf({ messages, disputes: [], terms: TERMS });
}

const VERIFICATION = { kind: 'account_verification' } as const;
const TRANSFER_IN = { kind: 'transfer_in', ...SINGLE } as const;

describe('the rule of the purchase', () => {
  test.each<[string, Said[], ReturnType<typeof authorization>, string | null]>([
    ['nothing before it', [], authorization(800n), null],
    ['a verification before it', [authorization(0n, VERIFICATION)], authorization(800n), null],
    ['reversed whole before it came', [reversal()], authorization(800n), 'already_reversed'],
    [
      'reversed whole before it came, a verification',
      [reversal()],
      authorization(0n, VERIFICATION),
      'already_reversed',
    ],
    ['reversed by its amount before it came', [reversal(800n)], authorization(800n), 'already_reversed'],
    ['reversed by more before it came', [reversal(801n)], authorization(800n), 'already_reversed'],
    ['reversed by less before it came', [reversal(799n)], authorization(800n), null],
    ['the same of an increment', [reversal(800n)], increment(800n), 'already_reversed'],
    ['two reversals before it', [reversal(300n), reversal(500n)], authorization(800n), 'already_reversed'],
    [
      'a reversal that has found its own',
      [authorization(300n), reversal(300n)],
      authorization(800n),
      'authorization_closed',
    ],
    [
      'a reversal of more than was there',
      [authorization(300n), reversal(500n)],
      authorization(200n),
      'already_reversed',
    ],
    ['what such a reversal leaves', [authorization(300n), reversal(500n)], authorization(201n), null],
    [
      'reversed whole after it was authorized',
      [authorization(300n), reversal()],
      increment(800n),
      'authorization_closed',
    ],
    ['cleared', [clearing(300n)], authorization(800n), 'authorization_closed'],
    ['cleared, and reversed before it came', [clearing(300n), reversal(800n)], authorization(800n), 'already_reversed'],
    ['cleared, and reversed in part', [clearing(300n), reversal(100n)], authorization(800n), 'authorization_closed'],
    ['cleared in part', [clearing(300n, { isFinal: false })], authorization(800n), null],
    ['expired', [authorization(300n), expiry()], increment(800n), 'authorization_closed'],
    [
      'declined by the network',
      [advice('stand_in', 0n, { isApproved: false })],
      authorization(800n),
      'authorization_closed',
    ],
    ['nothing sold', [authorization(1n), advice('completion', 0n)], increment(800n), 'authorization_closed'],
    ['completed', [authorization(900n), advice('completion', 300n)], increment(800n), 'authorization_closed'],
    [
      'completed, another',
      [authorization(900n), advice('completion', 300n)],
      authorization(1n),
      'authorization_closed',
    ],
    [
      'completed, a single message',
      [authorization(900n), advice('completion', 300n)],
      authorization(1n, SINGLE),
      'authorization_closed',
    ],
    [
      'completed, and reversed by more than that',
      [authorization(900n), advice('completion', 300n), reversal(400n)],
      increment(800n),
      'authorization_closed',
    ],
    ['completed, a question', [authorization(900n), advice('completion', 300n)], authorization(0n, VERIFICATION), null],
    ['completed, a credit', [authorization(900n), advice('completion', 300n)], refundRequest(100n), null],
    ['completed before it came', [advice('completion', 300n)], authorization(900n), null],
    ['completed before its authorization came', [advice('completion', 300n)], increment(9n), 'authorization_closed'],
    ['a credit of what is closed', [authorization(300n), clearing(300n)], refundRequest(100n), null],
    [
      'a credit that was reversed whole before it came',
      [reversal()],
      authorization(9n, TRANSFER_IN),
      'already_reversed',
    ],
    ['a credit that was reversed before it came', [reversal(9n)], authorization(9n, TRANSFER_IN), 'already_reversed'],
    [
      'a credit after another and its reversal',
      [authorization(9n, TRANSFER_IN), reversal(9n)],
      authorization(9n, TRANSFER_IN),
      null,
    ],
  ])('%s', (_name, before, request, refusal) => {
    expect(purchaseRule(stateAfter(...before), request)).toBe(refusal);
  });
});

describe('what was decided', () => {
  const approve = (request: ReturnType<typeof authorization>, amount: bigint, authorized = amount) =>
    decideRequest(
      { ...request, reference: 'asked' },
      { decision: 'approved', approvedAmount: amount, authorizedAmount: authorized, declineCode: null },
    );

  test.each`
    request                                                     | approved | merchant
    ${authorization(800n)}                                      | ${800n}  | ${null}
    ${authorization(800n, PARTIAL)}                             | ${799n}  | ${null}
    ${authorization(0n, VERIFICATION)}                          | ${0n}    | ${null}
    ${authorization(900n, { merchant: eur(700n) })}             | ${900n}  | ${eur(700n)}
    ${authorization(900n, { merchant: eur(700n), ...PARTIAL })} | ${100n}  | ${eur(77n)}
  `('of $approved for $request.amount is $merchant to the merchant', ({ request, approved, merchant }) => {
    const decision = { isApproved: true, amount: approved, authorized: approved, merchant };
    expect(approve(request, approved)).toEqual({ ...request, reference: 'asked', decision });
  });

  test('of a status check is its token amount, and authorizes the fuel amount', () => {
    const { decision } = approve(authorization(100n, { merchant: eur(90n) }), 100n, 10_000n);
    expect(decision).toEqual({ isApproved: true, amount: 100n, authorized: 10_000n, merchant: eur(9_000n) });
  });

  test('of what is declined is its code', () => {
    const declined = { decision: 'declined', approvedAmount: 0n, authorizedAmount: 0n } as const;
    const request = { ...authorization(800n), reference: 'asked' };
    const { decision } = decideRequest(request, { ...declined, declineCode: 'card_closed' });
    expect(decision).toEqual({ isApproved: false, declineCode: 'card_closed' });
  });

  test.each([
    ['more than was asked', authorization(800n, PARTIAL), 801n],
    ['a part where none is allowed', authorization(800n), 799n],
  ])('is not %s', (_name, request, approved) => {
    expect(() => approve(request, approved)).toThrow(RangeError);
  });
});

describe('a repeat', () => {
  const known = { ...authorization(800n, { merchant: eur(700n) }), reference: 'asked' };
  const decision = { isApproved: false as const, declineCode: 'card_frozen' };
  const named = (said: Said, reference = 'asked') => ({ ...said, reference }) as Incoming;

  test.each<[string, Incoming, boolean]>([
    ['as it was', known, true],
    ['with another amount', { ...known, amount: 801n }, false],
    ['of another merchant currency', { ...known, merchant: { amount: 700n, currency: 'JPY' } }, false],
    ['without its merchant amount', { ...known, merchant: null }, false],
    ['as another message', named(clearing(800n)), false],
    ['under another name', { ...known, reference: 'other' }, false],
  ])('of a declined request %s: %s', (_name, again, is) => {
    expect(isRepeatOf({ ...known, decision }, again)).toBe(is);
  });

  test('of a piece is told by its number', () => {
    const said = { ...clearing(800n, { sequence: { number: 1, count: 3 } }), reference: 'piece' };
    expect(isRepeatOf(said, { ...said, sequence: { number: 1, count: 3 } })).toBe(true);
    expect(isRepeatOf(said, { ...said, sequence: { number: 2, count: 3 } })).toBe(false);
  });
});
