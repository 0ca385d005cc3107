import { eventsOf } from '../../../api/event-document.ts';
import { paymentApi } from './payment-routes.ts';

export const paymentEvents = eventsOf(paymentApi, {
  summary: {
    'payment.created': 'A payment was created',
    'payment.updated': 'A payment was updated',
    'payment.requires_action': 'A payment waits for its payer',
    'payment.authorized': 'A payment was authorized',
    'payment.captured': 'A payment was captured',
    'payment.partially_captured': 'A part of a payment was captured',
    'payment.settled': 'A payment was settled',
    'payment.failed': 'A payment was declined',
    'payment.canceled': 'A payment was canceled',
    'payment.expired': 'A payment expired',
  },
  when: {
    'payment.created': 'A payment was accepted. Nothing is authorized yet.',
    'payment.updated':
      'A payment changed and its status did not: its texts, a larger authorization, or an operation that failed.',
    'payment.requires_action':
      'The payer has to act: `next_action` says where. Also after a decline on a checkout page.',
    'payment.authorized': 'The issuer holds the amount. Capture it before `authorization.expires_at`.',
    'payment.captured': 'Nothing is left to capture. The entry is that of the last capture, where one was made.',
    'payment.partially_captured': 'A part was captured, and more can be.',
    'payment.settled': 'The acquirer has paid all that was captured.',
    'payment.failed': 'The payment was declined; `decline` says why.',
    'payment.canceled': 'The payment was canceled before anything was captured.',
    'payment.expired': 'Nobody captured the payment, or its payer did not act, in time.',
  },
});
