import type { EventDocument } from '../../api/event-document.ts';
import { declaredHold } from '../index.ts';
import { hold } from './hold-schemas.ts';

export const holdEvents: EventDocument = { names: declaredHold.events, object: hold, schemaName: 'HoldEvent' };
