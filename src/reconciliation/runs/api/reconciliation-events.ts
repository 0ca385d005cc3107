import { eventsOf } from '../../../api/event-document.ts';
import { reconciliationApi } from './reconciliation-routes.ts';

export const reconciliationEvents = eventsOf(reconciliationApi, {
  summary: {
    'reconciliation.matched': 'A reconciliation matched lines',
    'reconciliation.completed': 'A reconciliation was completed',
    'reconciliation.failed': 'A reconciliation failed',
  },
  when: {
    'reconciliation.matched':
      'Rules have matched lines, and they are booked: once a run, before it is completed, however many there are. Where nothing was matched, there is none.',
    'reconciliation.completed': "Every statement of a bank's file is posted, held or rejected, and lines are matched.",
    'reconciliation.failed': 'The file that was kept cannot be read. The same bytes may be sent again.',
  },
});
