import type { Resource, Shown } from '../ledger/rows/resource.ts';
import { allowedActions, EXCEPTION_TRANSITIONS, type Exception } from './exception.ts';
import { exceptions } from './exception-table.ts';
import { exceptionView } from './exception-view.ts';

export const exceptionResource: Resource<Exception, Shown> = {
  name: 'exception',
  idKind: 'exception',
  table: exceptions,
  changed: (exception, change) => ({ ...exception, ...change }),
  transitions: EXCEPTION_TRANSITIONS,
  allowedActions,
  whyNot: ({ status, waiting }, action) =>
    action === 'move_to' && waiting === null
      ? 'No money waits in an account for this exception.'
      : `The exception is ${status}.`,
  view: (exception, { livemode }) => exceptionView(exception, livemode),
};
