import { eventsOf } from '../../../api/event-document.ts';
import { payoutBatchApi } from './batch-routes.ts';

export const payoutBatchEvents = eventsOf(payoutBatchApi, {
  summary: {
    'payout_batch.created': 'A batch of payouts was uploaded',
    'payout_batch.updated': 'A batch of payouts was changed',
    'payout_batch.requires_approval': 'A batch of payouts waits for an approval',
    'payout_batch.approved': 'A batch of payouts was approved',
    'payout_batch.rejected': 'A batch of payouts was rejected',
    'payout_batch.scheduled': 'A batch of payouts was scheduled',
    'payout_batch.processing': 'A batch of payouts is being paid',
    'payout_batch.completed': 'All payouts of a batch were paid',
    'payout_batch.partially_completed': 'Some payouts of a batch were paid',
    'payout_batch.failed': 'No payout of a batch was paid',
    'payout_batch.canceled': 'A batch of payouts was canceled',
  },
  when: {
    'payout_batch.created': 'A batch was uploaded whole. Nothing is held unless it is `processing`.',
    'payout_batch.updated':
      'A first of two people has approved it, or it was canceled while it was being paid: items that are no payouts never become any.',
    'payout_batch.requires_approval': 'People have to approve it: behind `payout_batch.created`, or submitted later.',
    'payout_batch.approved': 'The last person whose approval it needs has given it.',
    'payout_batch.rejected': 'A person has rejected it; `reason` says why. Nothing was held.',
    'payout_batch.scheduled': 'It waits for its time. Nothing is held.',
    'payout_batch.processing': 'Its accounts hold all amounts and fees, and its items become payouts.',
    'payout_batch.completed': 'Every item was paid, and none is under way.',
    'payout_batch.partially_completed':
      'Some items were paid, the others failed or were canceled, and none is under way.',
    'payout_batch.failed': 'No item was paid and none is under way, or there was too little to hold at its time.',
    'payout_batch.canceled': 'It was canceled before an item became a payout.',
  },
});
