import { eventsOf } from '../../../api/event-document.ts';
import { payeeApi } from './payee-routes.ts';

export const payeeEvents = eventsOf(payeeApi, {
  summary: {
    'payee.created': 'A payee was saved',
    'payee.updated': 'A payee was changed',
    'payee.disabled': 'A payee was disabled',
    'payee.enabled': 'A payee was enabled',
  },
  when: {
    'payee.created': 'A payee was saved. Nothing was paid.',
    'payee.updated':
      'Name, destination, external id or metadata changed. With a new name or destination, `destination_version` counts up.',
    'payee.disabled':
      'Payouts to it are refused from now on. `disabled_reason` says whether it was asked for, or a payout failed or came back.',
    'payee.enabled': 'Payouts to it are accepted again.',
  },
});
