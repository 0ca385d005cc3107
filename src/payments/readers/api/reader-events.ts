import { eventsOf } from '../../../api/event-document.ts';
import { actionApi } from './reader-routes.ts';

export const readerActionEvents = eventsOf(actionApi, {
  summary: {
    'reader_action.succeeded': 'A payment at a reader was authorized',
    'reader_action.failed': 'Nobody paid at a reader',
    'reader_action.canceled': 'A payment at a reader was canceled',
  },
  when: {
    'reader_action.succeeded': 'A card that was presented is authorized. The reader is ready again.',
    'reader_action.failed': 'Nobody presented a card in time, or too many were declined. The reader is ready again.',
    'reader_action.canceled': 'The action, or its payment, was canceled. The reader is ready again.',
  },
});
