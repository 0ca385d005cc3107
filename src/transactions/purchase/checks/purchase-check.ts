/**
 * Checks purchases: amounts, status, hold and flags follow from their messages; each message has its event, and the one
 * entry that it posts; what is booked on the scheme, the operator and the customer follows from purchase and disputes.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf, restOf } from '../../../group/equation.ts';
import type { Rule } from '../../../group/finding.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { formatInstantOrNull, type Instant } from '../../../values/clock.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { creditedOf } from '../../disputes/dispute.ts';
import { inOrder } from '../message-flags.ts';
import { purchaseHoldId } from '../purchase-id.ts';
import { merchantLeft, type PurchaseState, stateOf } from '../purchase-state.ts';
import type { StoredPurchase } from '../purchase-table.ts';
import { type PurchaseHistory, readPurchaseHistories, readPurchaseHistoriesById } from './purchase-check-store.ts';
import { type Replay, replay, withoutMomentary } from './purchase-replay.ts';

export const purchaseCheck: RowCheck<PurchaseHistory, Uuid> = {
  name: 'transactions',
  pageRows: 200,
  read: ({ pool, book }, page) => readPurchaseHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readPurchaseHistoriesById(pool, book.id, ids),
  holdsOf: ({ purchase }) => Array.from({ length: purchase.holds }, (_, at) => purchaseHoldId(purchase.id, at + 1)),
  check: checkPurchase,
  placeOf: ({ purchase }, until) => behindNewIds(purchase.begunBy, until),
};

export const purchaseEquation = equationOf({
  rows: purchaseCheck,
  resources: ['transaction_message', 'transaction_dispute'],
  codes: ['scheme_settlement', 'due_operator'],
  balancesOf: ({ purchase: { id, accountId, currency, amounts }, disputes, entries }) => {
    const chart = {
      scheme_settlement: amounts.cleared - amounts.refunded - creditedOf(disputes),
      due_operator: amounts.fee,
    };
    return [
      {
        ...({ resource: 'transaction', id, currency, entries } as const),
        chart,
        customers: [[accountId, restOf(chart)] as const],
      },
    ];
  },
});

function checkPurchase({ report }: CheckContext, history: PurchaseHistory): void {
  const { purchase, messages, disputes, kept } = history;
  const ids = { transaction: publicId('transaction', purchase.id) };
  const expect: Expect = (check, { expected, actual, detail }) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };
  const { currency, facts, tolerancePercent, fees } = purchase;
  const terms = { currency, mcc: facts.mcc, tolerancePercent, fees };
  const state = stateOf({ messages: messages.map(({ message }) => message), disputes, terms });
  const replayed = replay(messages, { kept, terms });
  expect('transaction.state', {
    expected: textOf({ ...state, merchantLeft: merchantLeft(state), firstUsedAt: replayed.firstUsedAt }),
    actual: textOf(purchase),
    detail: 'The purchase is not what its messages say.',
  });
  checkHolds(history, expect);
  expect('transaction.events', {
    expected: replayed.events.join(', '),
    actual: history.events.join(', '),
    detail: 'Not every message of the purchase has its event.',
  });
  checkFlags(history, replayed, expect);
  checkResembled(history, expect);
  checkEntries(history, replayed, expect);
}

/** `expected`: by the other rows; `actual`: what the row has. */
type Expect = (check: Rule, of: { expected: string; actual: string; detail: string }) => void;

function checkHolds({ purchase, messages, disputes, holds }: PurchaseHistory, expect: Expect): void {
  const { amounts } = purchase;
  expect('transaction.counts', {
    expected: `${messages.length} messages, ${disputes.length} disputes, ${holds.length} holds`,
    actual: `${purchase.messages} messages, ${purchase.disputes} disputes, ${purchase.holds} holds`,
    detail: 'The purchase counts other messages, disputes or holds than it has.',
  });
  expect('transaction.hold', {
    expected: `${amounts.held + amounts.feeHeld}`,
    actual: `${holds.reduce((sum, remaining) => sum + remaining, 0n)}`,
    detail: 'Its holds have another amount left than the purchase holds.',
  });
  expect('transaction.hold', {
    expected: purchase.holds === 0 ? 'none' : purchaseHoldId(purchase.id, purchase.holds),
    actual: purchase.holdId ?? 'none',
    detail: 'The purchase names another hold than its last.',
  });
}

/** What the account was like at the time of a message is known by that message alone, and of a dispute by nothing. */
function checkFlags({ purchase, kept, disputes }: PurchaseHistory, { messages }: Replay, expect: Expect): void {
  for (const { id, flags } of messages)
    expect('transaction.flags', {
      expected: flags.join(', ') || 'none',
      actual: withoutMomentary(kept.get(id)!.flags).join(', ') || 'none',
      detail: 'A message of the purchase has other flags than follow from the messages before it.',
    });
  const ofMessages = messages.flatMap(({ id }) => kept.get(id)!.flags);
  const isBooked = disputes.some(({ entryIds }) => entryIds.length > 0);
  const ofDisputes = isBooked ? purchase.flags.filter((flag) => ACCOUNT_FLAGS.includes(flag)) : [];
  expect('transaction.flags', {
    expected: inOrder([...ofMessages, ...ofDisputes]).join(', ') || 'none',
    actual: purchase.flags.join(', ') || 'none',
    detail: 'The purchase has other flags than its messages.',
  });
}

const ACCOUNT_FLAGS: readonly string[] = ['below_floor', 'account_frozen', 'account_closed'];

/** No row shows any more whether it was open, and the only one alike. */
function checkResembled({ purchase, resembled }: PurchaseHistory, expect: Expect): void {
  const { resembles, flags, lineId, facts } = purchase;
  if (resembles === null) return;
  const isForced = flags.includes('forced');
  const expected = `a forced post of line ${lineId} at ${facts.merchantId}`;
  const named = resembled === undefined ? 'nothing' : `line ${resembled.lineId} at ${resembled.merchantId}`;
  expect('transaction.resembles', {
    expected,
    actual: `a ${isForced ? 'forced post' : 'purchase'} of ${named}`,
    detail: 'The purchase resembles one that is not of its card and merchant, or is no forced post.',
  });
}

function checkEntries({ stepsOf, disputes }: PurchaseHistory, { messages }: Replay, expect: Expect): void {
  for (const { id, steps } of messages)
    expect('transaction.entries', {
      expected: steps.join(', ') || 'none',
      actual: (stepsOf.get(id) ?? []).map(({ step }) => step).join(', ') || 'none',
      detail: 'A message of the purchase has other entries in the journal than it posts.',
    });
  for (const { id, entryIds } of disputes)
    expect('transaction.entries', {
      expected: (stepsOf.get(id) ?? []).map((step) => publicId('entry', step.id)).join(', ') || 'none',
      actual: entryIds.map((entry) => publicId('entry', entry)).join(', ') || 'none',
      detail: 'A dispute of the purchase names other entries than the journal has for it.',
    });
}

type Shown = Pick<PurchaseState, 'status' | 'amounts' | 'isOpen'> & {
  readonly merchantLeft: StoredPurchase['merchantLeft'];
  readonly firstUsedAt: Instant | null;
};

function textOf({ status, amounts, isOpen, merchantLeft: left, firstUsedAt }: Shown): string {
  const { authorized, reversed, held, feeHeld, cleared, refunded, disputed, fee, fxDifference } = amounts;
  const ofMerchant = left === null ? 'none' : `${left.amount} ${left.currency}`;
  return `${status}${isOpen ? ', open' : ''}: authorized ${authorized}, reversed ${reversed}, held ${held} and ${feeHeld}, cleared ${cleared}, refunded ${refunded}, disputed ${disputed}, fee ${fee}, fx_difference ${fxDifference}, left to the merchant ${ofMerchant}, first used ${formatInstantOrNull(firstUsedAt) ?? 'never'}`;
}
