import type { EventDocument } from '../../api/event-document.ts';
import { declaredPayout } from '../index.ts';
import { payout } from './payout-schemas.ts';

export const payoutEvents: EventDocument = {
  names: declaredPayout.events,
  object: payout,
  schemaName: 'PayoutEvent',
  notes: {
    'payout.returned':
      'The object is the payout, `object_sequence` is its version, and `previous_attributes` has its `amount_returned` before, and its `status` where that changed. `journal_entries` has the one entry of the return: `resource_id` names it (`por_…`), to be read at `GET /v1/payouts/{id}/returns/{return}`. Until the installation is contracted to 0.3.0, `resource_id` is that of the payout.',
  },
};
