import type { Resource, Shown, Transitions } from '../../ledger/resources/resource.ts';
import type { PurchaseStatus } from './purchase-state.ts';
import { type StoredPurchase, transactions } from './purchase-table.ts';
import { allowedActions, purchaseView } from './purchase-view.ts';

/** Messages come in any order: a purchase that has ended may go on. */
export const PURCHASE_TRANSITIONS: Transitions<PurchaseStatus> = {
  pending: ['settled', 'verified', 'expired', 'reversed'],
  settled: ['pending', 'verified', 'expired', 'reversed'],
  verified: ['pending', 'settled'],
  expired: ['settled', 'verified'],
  reversed: ['pending', 'settled', 'verified'],
  declined: ['pending', 'settled', 'verified', 'reversed'],
};

export const transactionResource: Resource<StoredPurchase, Shown> = {
  name: 'transaction',
  table: transactions,
  parent: null,
  events: [
    'transaction.authorized',
    'transaction.declined',
    'transaction.verified',
    'transaction.advised',
    'transaction.incremented',
    'transaction.reversed',
    'transaction.expired',
    'transaction.cleared',
    'transaction.clearing_reversed',
    'transaction.force_posted',
    'transaction.refunded',
    'transaction.refund_reversed',
    'transaction.updated',
  ],
  books: false,
  changed: (purchase, change) => ({ ...purchase, ...change }),
  transitions: PURCHASE_TRANSITIONS,
  allowedActions,
  unlistedActions: ['update'],
  whyNot: ({ status }, action) =>
    action === 'expire'
      ? `Nothing of the transaction is left to expire: it is ${status}.`
      : `The transaction is ${status}.`,
  view: (purchase, { livemode }) => purchaseView(purchase, livemode),
};
