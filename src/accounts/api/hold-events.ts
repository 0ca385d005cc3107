import type { EventDocument } from '../../api/event-document.ts';
import { declaredHold } from '../index.ts';
import { hold } from './hold-schemas.ts';

export const holdEvents: EventDocument = {
  names: declaredHold.events,
  object: hold,
  schemaName: 'HoldEvent',
  summary: {
    'hold.created': 'A hold was placed',
    'hold.increased': 'A hold was increased',
    'hold.released': 'A hold was released',
    'hold.expired': 'A hold expired',
  },
  when: {
    'hold.created': 'An amount of an account was held.',
    'hold.increased': 'A hold was increased.',
    'hold.released': 'A hold was released, whole or in part.',
    'hold.expired': 'A hold expired; what remained of it is available again.',
  },
};
