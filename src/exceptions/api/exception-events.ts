import { eventsOf } from '../../api/event-document.ts';
import { exceptionApi } from './exception-routes.ts';

export const exceptionEvents = eventsOf(exceptionApi, {
  summary: {
    'exception.opened': 'An exception was opened',
    'exception.updated': 'An exception was taken further',
    'exception.resolved': 'An exception was resolved',
  },
  when: {
    'exception.opened': 'Something happened that the books cannot follow by themselves; a person has to look at it.',
    'exception.updated': 'An exception was assigned or explained, or its money was moved.',
    'exception.resolved':
      'A second person approved what was made of an exception, or an operator settled it on evidence.',
  },
});
