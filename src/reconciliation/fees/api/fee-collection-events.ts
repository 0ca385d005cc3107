import { eventsOf } from '../../../api/event-document.ts';
import { feeCollectionApi } from './fee-collection-routes.ts';

export const feeCollectionEvents = eventsOf(feeCollectionApi, {
  summary: { 'fee_collection.posted': 'Fees were collected' },
  when: { 'fee_collection.posted': 'A day of the book is over, and its fees are booked to the operator.' },
});
