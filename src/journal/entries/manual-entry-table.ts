import { column } from '../../db/declared-columns.ts';
import { WRITE_ORDER } from '../../ledger/rows/table.ts';
import { logOf, tableOf } from '../../ledger/rows/table-of.ts';
import type { EntryReversal, ManualEntry } from './manual-entry.ts';

const log = logOf<ManualEntry>({
  name: 'manual_entries',
  writeOrder: WRITE_ORDER.resources,
  columns: [
    column('id', 'uuid'),
    column('sequence', 'bigint'),
    column('actor', 'text', { notPersonal: 'actor' }),
    column('external_id', 'text', { notPersonal: 'own_reference' }),
    column('metadata', 'jsonb', { personal: true }),
    column('text_salt', 'bytea'),
    column('created_at', 'timestamptz'),
  ],
});

/** A row is only appended. Who looks for one has its id. */
export const manualEntries = { ...log, key: 'id' };

/** By the entry that is reversed, so that none is reversed twice. Rows never change. */
export const entryReversals = tableOf<EntryReversal>({
  name: 'entry_reversals',
  key: 'entry_id',
  writeOrder: WRITE_ORDER.resourceChildren,
  columns: [column('entry_id', 'uuid'), column('reversal_id', 'uuid')],
});
