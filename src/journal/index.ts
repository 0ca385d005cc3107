/**
 * The group of the journal: the ledger's own tables (books, accounts, holds, entries), and the clocks of test books. What is
 * checked of the tables is in src/verify/.
 */
import { APPENDS, changes, rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { accounts } from '../ledger/account-table.ts';
import { holdSteps, holds } from '../ledger/hold-table.ts';
import { entries, entryTexts, events, postings } from '../ledger/rows/journal-tables.ts';
import { metadataIndex } from '../ledger/rows/metadata-store.ts';
import { personalTexts } from '../ledger/rows/personal-text-table.ts';
import { sweepClocks } from './sweep-clocks.ts';

export const journalGroup: Group = {
  name: 'journal',
  resources: [],
  tables: [accounts, holds, holdSteps, entries, postings, entryTexts, events, metadataIndex, personalTexts],
  rights: {
    // The heads of a book, as every commit writes them, and what is set of it: by the operator, and for its payments.
    books: changes(
      'entry_sequence',
      'event_sequence',
      'chain_hash',
      'last_posted_at',
      'batch_id',
      'clock_offset_ms',
      'clock_target',
      'clock_at',
      'overdraft_ceiling',
      'release_schedule',
    ),
    accounts: rightsOf(accounts),
    holds: rightsOf(holds),
    hold_steps: APPENDS,
    entries: APPENDS,
    postings: APPENDS,
    entry_texts: APPENDS,
    events: APPENDS,
    metadata_index: APPENDS,
    personal_texts: APPENDS,
  },
  moved: [],
  checks: [],
  blocksClosing: [],
  gauges: [],
  sweeps: sweepClocks,
};
