import type { EventDocument } from '../../api/event-document.ts';
import { payoutResource } from '../index.ts';
import { payout } from './payout-schemas.ts';

export const payoutEvents: EventDocument = {
  names: payoutResource.events,
  object: payout,
  schemaName: 'PayoutEvent',
};
