import type { EventDocument } from '../../api/event-document.ts';
import { declaredAccount } from '../index.ts';
import { account } from './account-schemas.ts';

export const accountEvents: EventDocument = {
  names: declaredAccount.events,
  object: account,
  schemaName: 'AccountEvent',
  summary: {
    'account.created': 'An account was opened',
    'account.updated': 'An account changed',
    'account.frozen': 'An account was frozen',
    'account.unfrozen': 'An account was unfrozen',
    'account.closed': 'An account was closed',
  },
  when: {
    'account.created': 'An account was opened.',
    'account.updated': 'Name, reference or metadata of an account changed, or money arrived on it.',
    'account.frozen': 'An account was frozen: it receives, and nothing leaves it.',
    'account.unfrozen': 'A frozen account is open again.',
    'account.closed': 'An account was closed for good.',
  },
};
