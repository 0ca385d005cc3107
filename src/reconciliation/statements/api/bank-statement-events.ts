import { eventsOf } from '../../../api/event-document.ts';
import { bankStatementApi } from './bank-statement-routes.ts';

export const bankStatementEvents = eventsOf(bankStatementApi, {
  summary: {
    'bank_statement.received': 'A bank statement was received',
    'bank_statement.posted': 'A bank statement was posted',
    'bank_statement.held': 'A bank statement is held',
    'bank_statement.rejected': 'A bank statement was rejected',
    'bank_statement.restated': 'A bank statement was restated',
  },
  when: {
    'bank_statement.received': 'A file brought it, or some hundreds of its lines were posted and more are to come.',
    'bank_statement.posted': 'The last of its lines was posted: the bank account stands where the bank states.',
    'bank_statement.held': 'Something does not fit, or a person decided about it; nothing is posted.',
    'bank_statement.rejected': 'It is wrong in itself, or two persons rejected it.',
    'bank_statement.restated': 'A later statement of the same days that states more was posted.',
  },
});
