import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { personal } from '../../ledger/rows/personal-text.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { allowedActions, PAYOUT_NOTE_TRANSITIONS, type PayoutNote } from './payout-note.ts';
import { payoutNotes } from './payout-note-table.ts';

export const payoutNoteResource: Resource<PayoutNote, Shown> = {
  name: 'payout_note',
  phrase: 'note on a payout',
  table: payoutNotes,
  parent: { name: 'payout', column: 'payout_id' },
  events: ['payout_note.written', 'payout_note.withdrawn'],
  books: false,
  changed: (note, change) => ({ ...note, ...change }),
  transitions: PAYOUT_NOTE_TRANSITIONS,
  allowedActions,
  view: (note, { livemode }) => ({
    id: publicId('payoutNote', note.id),
    object: 'payout_note',
    livemode,
    status: note.status,
    payout: publicId('payout', note.payoutId),
    text: shownText(note),
    allowed_actions: allowedActions(note),
    request_id: publicId('request', note.requestId),
    version: note.version,
    created_at: formatInstant(note.createdAt),
    updated_at: formatInstant(note.updatedAt),
  }),
};

function shownText({ id, text, textSalt }: PayoutNote) {
  return textSalt === null ? text : personal({ object: 'payout_note', objectId: id, salt: textSalt }, 'text', text);
}
