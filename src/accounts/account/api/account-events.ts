import { eventsOf } from '../../../api/event-document.ts';
import { accountApi } from './account-routes.ts';

export const accountEvents = eventsOf(accountApi, {
  summary: {
    'account.created': 'An account was opened',
    'account.updated': 'An account changed',
    'account.frozen': 'An account was frozen',
    'account.unfrozen': 'An account was unfrozen',
    'account.closed': 'An account was closed',
    'account.balance_low': 'Little is left of an account',
  },
  when: {
    'account.created': 'An account was opened.',
    'account.updated': 'Name, reference or metadata of an account changed, or money arrived on it.',
    'account.frozen': 'An account was frozen: it receives, and nothing leaves it.',
    'account.unfrozen': 'A frozen account is open again.',
    'account.closed': 'An account was closed for good.',
    'account.balance_low':
      'The available balance of an account fell below its `low_balance_alert`. Again only once it has risen to it.',
  },
});
