import { eventsOf } from '../../../api/event-document.ts';
import { refundApi, releaseApi } from './refund-routes.ts';

export const refundEvents = eventsOf(refundApi, {
  summary: {
    'refund.created': 'A refund was created',
    'refund.succeeded': 'A refund succeeded',
    'refund.failed': 'A refund failed',
  },
  when: {
    'refund.created': 'A refund was accepted: its money has left its sources.',
    'refund.succeeded': 'The acquirer gave the amount back to the payer.',
    'refund.failed':
      'The refund failed, perhaps after it had succeeded: its money is back where it came from, and waits again for its day.',
  },
});

export const releaseEvents = eventsOf(releaseApi, {
  summary: { 'release.created': 'Money of payments was released' },
  when: { 'release.created': 'Money of payments became available to an account.' },
});
