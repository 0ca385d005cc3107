import type { EventDocument } from '../../api/event-document.ts';
import { declaredException } from '../index.ts';
import { exception } from './exception-schemas.ts';

export const exceptionEvents: EventDocument = {
  names: declaredException.events,
  object: exception,
  schemaName: 'ExceptionEvent',
};
