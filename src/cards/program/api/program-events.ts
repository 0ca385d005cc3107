import type { EventDocument } from '../../../api/event-document.ts';
import { PROGRAM_EVENTS } from '../program.ts';
import { program } from './program-schemas.ts';

export const programEvents: EventDocument = {
  names: PROGRAM_EVENTS,
  object: program,
  schemaName: 'CardProgramEvent',
  summary: { 'card_program.updated': 'The card program was updated' },
  when: { 'card_program.updated': 'Somebody has changed it, or rolled the secret of its endpoint.' },
};
