import { eventsOf } from '../../../api/event-document.ts';
import { bankAccountApi } from './bank-account-routes.ts';

export const bankAccountEvents = eventsOf(bankAccountApi, {
  summary: {
    'bank_account.created': 'A bank account was created',
    'bank_account.updated': 'A bank account was updated',
    'bank_account.closed': 'A bank account was closed',
  },
  when: {
    'bank_account.created': 'A bank account of the operator was made, and what stands on it was booked.',
    'bank_account.updated': 'Its name, or what its files state, was changed.',
    'bank_account.closed': 'Nothing more is posted on it.',
  },
});
