import type { EventDocument } from '../../../api/event-document.ts';
import { eventEntry } from '../../../api/schemas/journal.ts';
import { manualEntryResource } from '../manual-entry-resource.ts';

/** Their object is the entry as events carry it: less than its routes show. */
export const entryEvents: EventDocument = {
  names: manualEntryResource.events,
  object: eventEntry,
  schemaName: 'JournalEntryEvent',
  summary: {
    'journal_entry.posted': 'An entry was asked for and booked',
    'journal_entry.reversed': 'An entry was reversed',
  },
  when: {
    'journal_entry.posted': 'An entry was booked that was asked for by API, or the reversal of one.',
    'journal_entry.reversed': 'An entry was taken back by another one, which `journal_entries` has.',
  },
};
