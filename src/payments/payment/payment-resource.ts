import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { allowedActions, isBusy, PAYMENT_TRANSITIONS, type Payment, requireAmounts, whyNotNow } from './payment.ts';
import { payments } from './payment-table.ts';
import { paymentView } from './payment-view.ts';

export const paymentResource: Resource<Payment, Shown> = {
  name: 'payment',
  table: payments,
  parent: null,
  events: [
    'payment.created',
    'payment.updated',
    'payment.requires_action',
    'payment.authorized',
    'payment.captured',
    'payment.partially_captured',
    'payment.settled',
    'payment.failed',
    'payment.canceled',
    'payment.expired',
  ],
  // Its captures and refunds do.
  books: false,
  changed: (payment, change) => requireAmounts({ ...payment, ...change }),
  transitions: PAYMENT_TRANSITIONS,
  firstStatuses: ['processing'],
  allowedActions,
  unlistedActions: ['update'],
  whyNot: whyNotNow,
  passes: isBusy,
  view: (payment, { livemode }) => paymentView(payment, livemode),
};
