import { eventsOf } from '../../../api/event-document.ts';
import { noteApi } from './payout-note-routes.ts';

export const payoutNoteEvents = eventsOf(noteApi, {
  summary: {
    'payout_note.written': 'A note on a payout was written',
    'payout_note.withdrawn': 'A note on a payout was withdrawn',
  },
  when: {
    'payout_note.written': 'Somebody wrote a note on a payout.',
    'payout_note.withdrawn': 'A note on a payout was taken back.',
  },
});
