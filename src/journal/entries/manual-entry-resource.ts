import type { DeclaredResource } from '../../ledger/resources/declared-resource.ts';
import { manualEntries } from './manual-entry-table.ts';

/** An entry that was asked for by API is a step of itself. */
export const manualEntryResource: DeclaredResource = {
  name: 'entry',
  table: manualEntries,
  parent: null,
  events: ['journal_entry.posted', 'journal_entry.reversed'],
  books: true,
  lineText: {
    of: { table: 'entry_texts', key: 'entry_sequence', column: 'sequence' },
    externalId: 'r.external_id',
    description: 'p.description',
  },
  phrase: 'journal entry',
  alsoShown: ['description'],
};
