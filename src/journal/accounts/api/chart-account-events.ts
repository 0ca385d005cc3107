import { eventsOf } from '../../../api/event-document.ts';
import { chartAccountApi } from './chart-account-routes.ts';

export const chartAccountEvents = eventsOf(chartAccountApi, {
  summary: {
    'chart_account.created': 'An account of the own chart was made',
    'chart_account.updated': 'An account of the own chart changed',
  },
  when: {
    'chart_account.created': 'An account was added to the own chart.',
    'chart_account.updated': 'An account of the own chart was renamed, archived or opened again.',
  },
});
