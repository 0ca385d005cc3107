import type { EventDocument } from '../../api/event-document.ts';
import { declaredPayout } from '../index.ts';
import { payout } from './payout-schemas.ts';

export const payoutEvents: EventDocument = {
  names: declaredPayout.events,
  object: payout,
  schemaName: 'PayoutEvent',
};
