import { eventsOf } from '../../../api/event-document.ts';
import { payoutApi } from './payout-routes.ts';

export const payoutEvents = eventsOf(payoutApi, {
  summary: {
    'payout.created': 'A payout was created',
    'payout.updated': 'A payout was updated',
    'payout.requires_approval': 'A payout waits for an approval',
    'payout.approved': 'A payout was approved',
    'payout.rejected': 'A payout was rejected',
    'payout.scheduled': 'A payout was scheduled',
    'payout.processing': 'A payout is on its way',
    'payout.paid': 'A payout was paid',
    'payout.failed': 'A payout failed',
    'payout.canceled': 'A payout was canceled',
    'payout.returned': 'A payout came back',
  },
  when: {
    'payout.created':
      'A payout was accepted, and nothing is booked yet. Amount and fee are held, unless it waits for an approval or for its time.',
    'payout.updated':
      'Somebody has changed it, a first of two people has approved it, or its time has come and amount and fee are held from now on.',
    'payout.requires_approval':
      'People have to approve it: right behind `payout.created`, or since what had been approved was changed. Nothing is held.',
    'payout.approved':
      'The last person whose approval it needs has given it. Amount and fee are held, or it is `scheduled` and waits for its time.',
    'payout.rejected': 'A person has rejected it; `reason` says why. Nothing was held.',
    'payout.scheduled': 'It waits for its time: right behind `payout.created`. Nothing is held.',
    'payout.processing': 'The amount has left the account, and the payout is on its way through its rail.',
    'payout.paid':
      'The rail confirmed the payout, and the fee has left the account. Also after `payout.failed`, where a rail contradicts itself.',
    'payout.failed':
      'The rail says that the payout did not leave; the account has its money back. `failure` says why. Should the rail contradict itself later, the payout is paid after all (`payout.paid`), and an exception is opened.',
    'payout.canceled':
      'The payout was canceled before it was on its way; what was held, if anything, is available again.',
    'payout.returned':
      'Money of a paid payout came back, whole or in part. The object is the payout, `object_sequence` is its version, and `previous_attributes` has its `amount_returned` before, and its `status` where that changed. `journal_entries` has the one entry of the return: `resource_id` names it (`por_…`), to be read at `GET /v1/payouts/{id}/returns/{return}`.',
  },
});
