/**
 * Checks purchases: amounts, status and hold are what the function of their messages says; each message has its event, and at most one entry;
 * what is booked on the scheme, the operator and the customer is what purchase and disputes say.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import { equationOf, restOf } from '../../../group/equation.ts';
import type { Rule } from '../../../group/finding.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { creditedOf } from '../../disputes/dispute.ts';
import { isPostingReversal } from '../../message/message.ts';
import { findReversed } from '../posting-reversals.ts';
import { purchaseHoldId } from '../purchase-id.ts';
import { type PurchaseState, stateOf } from '../purchase-state.ts';
import { type PurchaseHistory, readPurchaseHistories, readPurchaseHistoriesById } from './purchase-check-store.ts';

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
  says: ({ purchase: { id, accountId, currency, amounts }, disputes, entries }) => {
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
  const { purchase, messages, disputes, holds } = history;
  const ids = { transaction: publicId('transaction', purchase.id) };
  const expect = (check: Rule, expected: string, actual: string, detail: string) => {
    if (expected !== actual) report({ check, ids, expected, actual, detail });
  };
  const { currency, facts, tolerancePercent, fees, amounts } = purchase;
  const terms = { currency, mcc: facts.mcc, tolerancePercent, fees };
  const state = stateOf({ messages: messages.map(({ message }) => message), disputes, terms });
  expect('transaction.state', textOf(state), textOf(purchase), 'The purchase is not what its messages say.');
  expect(
    'transaction.counts',
    `${messages.length} messages, ${disputes.length} disputes, ${holds.length} holds`,
    `${purchase.messages} messages, ${purchase.disputes} disputes, ${purchase.holds} holds`,
    'The purchase counts other messages, disputes or holds than it has.',
  );
  expect(
    'transaction.hold',
    `${amounts.held + amounts.feeHeld}`,
    `${holds.reduce((sum, remaining) => sum + remaining, 0n)}`,
    'Its holds have another amount left than the purchase holds.',
  );
  expect(
    'transaction.hold',
    purchase.holds === 0 ? 'none' : purchaseHoldId(purchase.id, purchase.holds),
    purchase.holdId ?? 'none',
    'The purchase names another hold than its last.',
  );
  expect(
    'transaction.events',
    `${toldOf(history)}`,
    `${history.events}`,
    'Not every message of the purchase has its event.',
  );
  for (const dispute of disputes) checkEntries(history, dispute, expect);
}

type Expect = (check: Rule, expected: string, actual: string, detail: string) => void;

function checkEntries(
  { stepsOf }: PurchaseHistory,
  { id, entryIds }: PurchaseHistory['disputes'][number],
  expect: Expect,
): void {
  const booked = (stepsOf.get(id) ?? []).map((step) => step.id);
  expect(
    'transaction.entries',
    booked.map((entry) => publicId('entry', entry)).join(', ') || 'none',
    entryIds.map((entry) => publicId('entry', entry)).join(', ') || 'none',
    'A dispute of the purchase names other entries than the journal has for it.',
  );
}

/** A reversal that waits has its event once it is booked. */
function toldOf({ messages }: PurchaseHistory): number {
  const all = messages.map(({ message }) => message);
  const waits = all.filter((message) => isPostingReversal(message) && findReversed(message, all) === undefined);
  return all.length - waits.length;
}

function textOf({ status, amounts, isOpen }: Pick<PurchaseState, 'status' | 'amounts' | 'isOpen'>): string {
  const { authorized, reversed, held, feeHeld, cleared, refunded, disputed, fee, fxDifference } = amounts;
  return `${status}${isOpen ? ', open' : ''}: authorized ${authorized}, reversed ${reversed}, held ${held} and ${feeHeld}, cleared ${cleared}, refunded ${refunded}, disputed ${disputed}, fee ${fee}, fx_difference ${fxDifference}`;
}
