import type { EventDocument } from '../../api/event-document.ts';
import { erasedObject } from '../../api/schemas/events.ts';
import { erasuresGroup } from '../index.ts';

export const erasureEvents: EventDocument = {
  names: erasuresGroup.events ?? [],
  object: erasedObject,
  schemaName: 'PersonalDataEvent',
  summary: {
    'personal_data.erased': 'Personal text was erased',
  },
  when: {
    'personal_data.erased':
      'The operator erased the personal text of an object. Erase your own copies of `fields` too.',
  },
};
