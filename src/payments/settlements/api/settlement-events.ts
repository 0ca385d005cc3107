import { eventsOf } from '../../../api/event-document.ts';
import { settlementApi } from './settlement-routes.ts';

export const settlementEvents = eventsOf(settlementApi, {
  summary: {
    'settlement.received': 'Lines of a settlement were received',
    'settlement.completed': 'A settlement was completed',
  },
  when: {
    'settlement.received':
      'An acquirer paid. A long report is taken in parts: each but the last is told by this event, with its entry.',
    'settlement.completed':
      'Every line was taken: it is booked, or is an exception. The entry is that of the last part. Told again when a line that was an exception is booked after all, with its entry.',
  },
});
