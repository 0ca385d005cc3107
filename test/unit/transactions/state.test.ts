/** What a purchase shows beside what the golden scenarios show: amounts, what limits get back, what is open, and what flags are shown. */
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/transactions/message/message.ts';
import { inOrder } from '../../../src/transactions/purchase/message-flags.ts';
import { stateOf } from '../../../src/transactions/purchase/purchase-state.ts';
import { type OpenPurchase, resembling } from '../../../src/transactions/purchase/resembling.ts';
import { takeMessage } from '../../../src/transactions/purchase/take-message.ts';
import {
  advice,
  authorization,
  clearing,
  clearingReversal,
  eur,
  expiry,
  jpy,
  refund,
  refundRequest,
  refundReversal,
  reversal,
  type Said,
} from './messages.ts';

const NO_FEES = { cash: null, quasiCash: null, foreignCurrency: null };
const TERMS = { currency: 'USD', mcc: '5411', tolerancePercent: 0, fees: NO_FEES };

/** Requests are approved whole; messages are named m0, m1 and so on. */
function purchaseOf(...said: Said[]) {
  const messages = said.map((message, index) => {
    const named = { ...message, reference: `m${index}` };
    if (named.type !== 'authorization' && named.type !== 'increment') return named;
    const { amount, merchant } = named;
    return { ...named, decision: { isApproved: true, amount, authorized: amount, merchant } };
  }) as Message[];
  return { messages, disputes: [], terms: TERMS };
}

const stateAfter = (...said: Said[]) => stateOf(purchaseOf(...said));

describe('amounts', () => {
  test('a reversal without an amount takes back all that was authorized, also where it came first', () => {
    expect(stateAfter(authorization(800n), reversal()).amounts).toMatchObject({
      authorized: 800n,
      reversed: 800n,
      held: 0n,
    });
    expect(stateAfter(reversal(), advice('stand_in', 800n)).amounts).toMatchObject({
      authorized: 800n,
      reversed: 800n,
    });
    expect(stateAfter(authorization(800n), reversal(300n)).amounts).toMatchObject({ reversed: 300n, held: 500n });
  });

  test('cleared and refunded are what stands', () => {
    const messages = [clearing(800n), clearingReversal('m0', 300n), refund(200n), refundReversal('m2', 50n)];
    expect(stateAfter(...messages).amounts).toMatchObject({ cleared: 500n, refunded: 150n });
  });

  test('the difference of rates is that of what stands', () => {
    const authorized = authorization(1_100n, { merchant: eur(1_000n) });
    const cleared = clearing(672n, { merchant: eur(600n), isFinal: false });
    expect(stateAfter(authorized, cleared).amounts.fxDifference).toBe(12n);
    expect(stateAfter(authorized, cleared, clearingReversal('m1')).amounts.fxDifference).toBe(0n);
    // Half of it stands: 336 for 300 EUR.
    expect(stateAfter(authorized, cleared, clearingReversal('m1', 336n)).amounts.fxDifference).toBe(6n);
  });

  test('there is none where the currencies differ, or nothing was authorized', () => {
    const foreign = clearing(672n, { merchant: eur(600n) });
    expect(stateAfter(foreign).amounts.fxDifference).toBe(0n);
    expect(stateAfter(authorization(1_100n, { merchant: jpy(9n) }), foreign).amounts.fxDifference).toBe(0n);
    expect(stateAfter(authorization(1_100n), foreign).amounts.fxDifference).toBe(0n);
  });

  test('of several completions the largest counts', () => {
    const sold = [advice('completion', 300n), advice('completion', 500n), advice('completion', 400n)];
    expect(stateAfter(authorization(800n), ...sold).amounts).toMatchObject({ authorized: 500n, held: 500n });
  });
});

test.each<[string, Said[], { isOpen: boolean; isClosed: boolean; waitingFor: string[] }]>([
  ['authorized', [authorization(8n)], { isOpen: true, isClosed: false, waitingFor: [] }],
  ['cleared whole', [authorization(8n), clearing(8n)], { isOpen: false, isClosed: true, waitingFor: [] }],
  [
    'cleared in part',
    [authorization(8n), clearing(5n, { isFinal: false })],
    { isOpen: true, isClosed: false, waitingFor: [] },
  ],
  ['a refund announced', [refundRequest(8n)], { isOpen: true, isClosed: false, waitingFor: [] }],
  ['and posted', [refundRequest(8n), refund(8n)], { isOpen: false, isClosed: false, waitingFor: [] }],
  ['and expired', [refundRequest(8n), expiry()], { isOpen: false, isClosed: true, waitingFor: [] }],
  [
    'verified',
    [authorization(0n, { kind: 'account_verification' })],
    { isOpen: false, isClosed: false, waitingFor: [] },
  ],
  ['a reversal ahead', [reversal(8n)], { isOpen: false, isClosed: true, waitingFor: [] }],
  ['a reversal that waits', [clearingReversal('x')], { isOpen: false, isClosed: false, waitingFor: ['x'] }],
  [
    'two that wait',
    [clearingReversal('x'), clearingReversal('x')],
    { isOpen: false, isClosed: false, waitingFor: ['x'] },
  ],
  [
    'one that waits for what is held',
    [authorization(8n), clearingReversal('m0')],
    { isOpen: true, isClosed: false, waitingFor: ['m0'] },
  ],
])('%s', (_name, said, expected) => {
  expect(stateAfter(...said)).toMatchObject(expected);
});

describe('a forced post resembles', () => {
  const post = { cardId: 'card', merchantId: 'shop', amount: 640n, merchant: null };
  const open = (change: Partial<OpenPurchase> = {}): OpenPurchase => ({ ...post, transactionId: 'one', ...change });
  test.each<[string, Partial<OpenPurchase>[], string | null]>([
    ['the one that is alike', [{}], 'one'],
    ['none where there is none', [], null],
    ['none of two', [{}, { transactionId: 'other' }], null],
    ['none of another amount', [{ amount: 641n }], null],
    ['none of another card', [{ cardId: 'other' }], null],
    ['none of another merchant', [{ merchantId: 'other' }], null],
    ['the one of two that is alike', [{ amount: 641n }, { transactionId: 'other' }], 'other'],
  ])('%s', (_name, changes, expected) => {
    expect(resembling(post, changes.map(open))).toBe(expected);
  });

  test('by the merchant amount where both have one, whatever the rates', () => {
    const foreign = { ...post, merchant: eur(600n) };
    expect(resembling(foreign, [open({ amount: 655n, merchant: eur(600n) })])).toBe('one');
    expect(resembling(foreign, [open({ merchant: eur(601n) })])).toBeNull();
    expect(resembling(foreign, [open({ merchant: jpy(600n) })])).toBeNull();
    expect(resembling(foreign, [open()])).toBe('one');
  });
});

describe('a message', () => {
  const account = { status: 'open' as const, posted: 1_000n, held: 0n, floor: null };
  const facts = { account, isUnlisted: true, lookalike: null, openPurchases: [] };

  test('that the rules met with an unlisted category or country is flagged', () => {
    const { messages } = purchaseOf(authorization(8n));
    expect(takeMessage(purchaseOf(), messages[0]!, facts).flags).toEqual(['unlisted']);
  });

  test('goes below a floor only where there is one', () => {
    const { messages } = purchaseOf(advice('stand_in', 2_000n));
    const flags = (floor: bigint | null) =>
      takeMessage(purchaseOf(), messages[0]!, { ...facts, isUnlisted: false, account: { ...account, floor } }).flags;
    expect(flags(null)).toEqual(['stand_in']);
    expect(flags(-1_000n)).toEqual(['stand_in']);
    expect(flags(-999n)).toEqual(['stand_in', 'below_floor']);
  });

  test('that is recorded is not taken again', () => {
    const purchase = purchaseOf(clearing(8n));
    expect(() => takeMessage(purchase, purchase.messages[0]!, facts)).toThrow(RangeError);
  });
});

test('a purchase shows each flag once, in one order', () => {
  expect(inOrder(['unlisted', 'late', 'below_floor', 'late', 'forced'])).toEqual([
    'forced',
    'late',
    'below_floor',
    'unlisted',
  ]);
});
