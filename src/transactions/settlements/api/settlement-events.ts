import { eventsOf } from '../../../api/event-document.ts';
import { schemeSettlementApi } from './settlement-routes.ts';

export const schemeSettlementEvents = eventsOf(schemeSettlementApi, {
  summary: { 'scheme_settlement.completed': 'The scheme has settled' },
  when: { 'scheme_settlement.completed': 'One net amount of one currency, by one entry against the pool.' },
});
