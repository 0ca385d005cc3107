/**
 * The group of the journal: the ledger's own tables (books, accounts, holds, entries), accounts of an organisation's own chart, entries
 * that are asked for by API, periods that are closed, and the clocks of test books.
 * The checks of the tables are in src/verify/.
 */
import { changes } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import { accounts } from '../ledger/account/account-table.ts';
import { holdSteps, holds } from '../ledger/hold/hold-table.ts';
import { effectiveLines, entries, entryTexts, events, postings } from '../ledger/journal/journal-tables.ts';
import { metadataIndex } from '../ledger/resources/metadata-store.ts';
import { personalTexts } from '../ledger/rows/personal-text-table.ts';
import { chartAccountResource } from './accounts/chart-account-resource.ts';
import { effectiveLineCheck } from './entries/checks/effective-line-check.ts';
import { manualEntryCheck } from './entries/checks/manual-entry-check.ts';
import { entriesNamed } from './entries/entries-named.ts';
import { manualEntryResource } from './entries/manual-entry-resource.ts';
import { entryReversals } from './entries/manual-entry-table.ts';
import { periodCheck } from './periods/checks/period-check.ts';
import { movedPeriods } from './periods/moved-periods.ts';
import { periodResource } from './periods/period-resource.ts';
import { sweepClocks } from './sweep-clocks.ts';

export const journalGroup: Group = {
  name: 'journal',
  resources: [chartAccountResource, manualEntryResource, periodResource],
  tables: [
    accounts,
    holds,
    holdSteps,
    entries,
    postings,
    entryTexts,
    effectiveLines,
    entryReversals,
    events,
    metadataIndex,
    personalTexts,
  ],
  rights: {
    // The heads of a book, which every commit writes, and its settings: by the operator, and for its payments.
    books: changes(
      'entry_sequence',
      'event_sequence',
      'chain_hash',
      'last_posted_at',
      'batch_id',
      'clock_offset_ms',
      'clock_target',
      'clock_at',
      'closed_through',
      'time_zone',
      'overdraft_ceiling',
      'release_schedule',
    ),
  },
  moved: [movedPeriods],
  checks: [manualEntryCheck, effectiveLineCheck, periodCheck],
  blocksClosing: [],
  lineNames: [entriesNamed],
  gauges: [],
  sweeps: sweepClocks,
};
