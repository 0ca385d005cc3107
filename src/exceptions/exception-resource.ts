import type { Resource, Shown } from '../ledger/resources/resource.ts';
import { allowedActions, EXCEPTION_TRANSITIONS, type Exception, isEnded } from './exception.ts';
import { exceptions } from './exception-table.ts';
import { exceptionView } from './exception-view.ts';

export const exceptionResource: Resource<Exception, Shown> = {
  name: 'exception',
  table: exceptions,
  parent: null,
  events: ['exception.opened', 'exception.updated', 'exception.resolved'],
  books: true,
  lineText: { description: 'r.detail' },
  changed: (exception, change) => ({ ...exception, ...change }),
  transitions: EXCEPTION_TRANSITIONS,
  allowedActions,
  whyNot({ status, waiting, resource }, action) {
    if (action === 'move_to' && resource === 'inbound_credit' && !isEnded({ status }))
      return 'A credit of a bank goes to an account of a customer with allocate, and elsewhere by a match of its line.';
    if (action === 'move_to' && waiting === null) return 'No money waits for this exception.';
    if (action === 'allocate' && !isEnded({ status }))
      return 'Only a credit of a bank that no account received is given to a book.';
    return `The exception is ${status}.`;
  },
  view: exceptionView,
};
