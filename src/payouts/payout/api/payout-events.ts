import type { EventDocument } from '../../../api/event-document.ts';
import { declaredPayout } from '../../index.ts';
import { payout } from './payout-schemas.ts';

export const payoutEvents: EventDocument = {
  names: declaredPayout.events,
  object: payout,
  schemaName: 'PayoutEvent',
  summary: {
    'payout.created': 'A payout was created',
    'payout.processing': 'A payout is on its way',
    'payout.paid': 'A payout was paid',
    'payout.failed': 'A payout failed',
    'payout.canceled': 'A payout was canceled',
    'payout.returned': 'A payout came back',
  },
  when: {
    'payout.created': 'A payout was accepted: amount and fee are held, and nothing is booked yet.',
    'payout.processing': 'The amount has left the account, and the payout is on its way through its rail.',
    'payout.paid':
      'The rail confirmed the payout, and the fee has left the account. Also after `payout.failed`, where a rail contradicts itself.',
    'payout.failed':
      'The rail says that the payout did not leave; the account has its money back. `failure` says why. Should the rail contradict itself later, the payout is paid after all (`payout.paid`), and an exception is opened.',
    'payout.canceled': 'The payout was canceled before it was on its way; what was held is available again.',
    'payout.returned':
      'Money of a paid payout came back, whole or in part. The object is the payout, `object_sequence` is its version, and `previous_attributes` has its `amount_returned` before, and its `status` where that changed. `journal_entries` has the one entry of the return: `resource_id` names it (`por_…`), to be read at `GET /v1/payouts/{id}/returns/{return}`.',
  },
};
