/**
 * The messages of a purchase come in any order and more than once. Whatever their order, they end in the same posted balance, hold, status
 * and usage, and every entry on the way adds up to it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCredit, isDebit } from '../../../src/cards/purchase/purchase-facts.ts';
import type { BookRole } from '../../../src/transactions/booking/book-posting.ts';
import { isRequest, type Message } from '../../../src/transactions/message/message.ts';
import {
  type Purchase,
  type PurchaseState,
  type PurchaseTerms,
  stateOf,
} from '../../../src/transactions/purchase/purchase-state.ts';
import { takeMessage } from '../../../src/transactions/purchase/take-message.ts';
import { runs } from '../../support/runs.ts';
import { anyMessages, anyTerms, shuffled } from './any-messages.ts';

interface Played {
  readonly state: PurchaseState;
  readonly posted: bigint;
  readonly held: bigint;
  readonly balances: Readonly<Record<BookRole, bigint>>;
}

/** Takes the messages one by one. One that is recorded is left out, as the caller of the core does. */
function play(messages: readonly Message[], terms: PurchaseTerms): Played {
  let purchase: Purchase = { messages: [], disputes: [], terms };
  let [posted, held] = [0n, 0n];
  const balances = { customer: 0n, scheme_settlement: 0n, due_operator: 0n, pool: 0n };
  for (const message of messages) {
    if (purchase.messages.some(({ reference }) => reference === message.reference)) continue;
    const account = { status: 'open' as const, posted, held, floor: 0n };
    const step = takeMessage(purchase, message, { account, isUnlisted: false, lookalike: null, openPurchases: [] });
    for (const { debit, credit, amount } of step.entries.flatMap(({ postings }) => postings)) {
      expect(amount).toBeGreaterThan(0n);
      balances[debit] -= amount;
      balances[credit] += amount;
    }
    ({ posted, held } = step.account);
    purchase = { ...purchase, messages: [...purchase.messages, message] };
    expect(step.after).toEqual(stateOf(purchase));
  }
  return { state: stateOf(purchase), posted, held, balances };
}

/** What does not depend on the order: all but the list of what is waited for, which is a set. */
function facts({ state, ...played }: Played) {
  const { waitingFor, tally: _, ...rest } = state;
  return { ...rest, ...played, waitingFor: waitingFor.toSorted() };
}

const inTwoOrders = fc
  .record({ messages: anyMessages, terms: anyTerms })
  .chain(({ messages, terms }) =>
    fc.record({ messages: fc.constant(messages), terms: fc.constant(terms), order: shuffled(messages) }),
  );

test('messages in any order end alike', () => {
  fc.assert(
    fc.property(inTwoOrders, ({ messages, order, terms }) => {
      expect(facts(play(order, terms))).toEqual(facts(play(messages, terms)));
    }),
    { numRuns: runs(1_000) },
  );
});

test('a message that comes again changes nothing', () => {
  const repeated = inTwoOrders.chain(({ messages, order, terms }) =>
    shuffled([...messages, ...order]).map((again) => ({ messages, again, terms })),
  );
  fc.assert(
    fc.property(repeated, ({ messages, again, terms }) => {
      expect(facts(play(again, terms))).toEqual(facts(play(messages, terms)));
    }),
    { numRuns: runs(300) },
  );
});

test('what is posted, held and used is what the state says', () => {
  fc.assert(
    fc.property(anyMessages, anyTerms, (messages, terms) => {
      const { state, posted, held, balances } = play(messages, terms);
      const { amounts, used, isClosed, netPosted } = state;
      expect(posted).toBe(netPosted);
      expect(held).toBe(amounts.held + amounts.feeHeld);
      expect(balances).toEqual({
        ...{ customer: netPosted, scheme_settlement: amounts.cleared - amounts.refunded, due_operator: amounts.fee },
        pool: 0n,
      });
      expect(used).toEqual({
        amount: amounts.cleared + amounts.held,
        count: amounts.cleared + amounts.held > 0n ? 1 : 0,
      });
      if (isClosed) expect(held).toBe(0n);
      for (const amount of [amounts.held, amounts.feeHeld, amounts.cleared, amounts.refunded, amounts.fee])
        expect(amount).toBeGreaterThanOrEqual(0n);
    }),
    { numRuns: runs(500) },
  );
});

/** The rule as it is written, for what has neither single messages nor the merchant's currency. */
function plainSums(messages: readonly Message[]) {
  const sum = (of: (message: Message) => bigint | null) =>
    messages.reduce((total, message) => total + (of(message) ?? 0n), 0n);
  const authorized = sum((message) => {
    if (message.type === 'advice') return message.isApproved && isDebit(message.kind) ? message.amount : 0n;
    return isRequest(message) && message.decision.isApproved && isDebit(message.kind)
      ? message.decision.authorized
      : 0n;
  });
  return {
    authorized,
    reversed: sum((message) => (message.type === 'reversal' ? message.amount : 0n)),
    cleared: sum((message) => (message.type === 'clearing' ? message.amount : 0n)),
  };
}

const isPlain = (message: Message) =>
  !('merchant' in message && message.merchant !== null) &&
  !('decision' in message && message.decision.isApproved && message.decision.merchant !== null) &&
  !('form' in message && (message.form === 'single' || isCredit(message.kind))) &&
  !(message.type === 'advice' && message.reason === 'completion');

test('without single messages and other currencies, what is held is authorized less reversed less cleared', () => {
  fc.assert(
    fc.property(anyMessages, anyTerms, (all, terms) => {
      const messages = all.filter(isPlain);
      const { amounts, isClosed } = stateOf({ messages, disputes: [], terms });
      const { authorized, reversed, cleared } = plainSums(messages);
      const left = authorized - reversed - cleared;
      expect(amounts.held).toBe(isClosed || left < 0n ? 0n : left);
    }),
    { numRuns: runs(500) },
  );
});
