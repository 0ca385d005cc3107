/** What the routes of the journal show of entries beside their postings: accounts' codes, texts, who asked, and their reversals. */
import { plainArray } from '../../db/columns.ts';
import { nounOf } from '../../db/declared-columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { loadAccountCodes, type ReadEntry } from '../../ledger/journal/journal-read-store.ts';
import type { Uuid } from '../../values/ids.ts';
import type { EntryFacts } from './entry-view.ts';
import { MANUAL, type ManualEntry } from './manual-entry.ts';
import { entryReversals, manualEntries } from './manual-entry-table.ts';

export interface ShownEntry {
  readonly entry: ReadEntry;
  readonly facts: Omit<EntryFacts, 'livemode'>;
}

/** In the order given. Indexes: accounts_pkey, entry_texts_pkey, manual_entries_pkey, entry_reversals_pkey. */
export async function withFacts(db: Queryable, bookId: BookId, entries: readonly ReadEntry[]): Promise<ShownEntry[]> {
  const asked = entries.filter(({ resource }) => resource === MANUAL.resource).map(({ id }) => id);
  const described = entries.filter(({ textDigest }) => textDigest !== null).map(({ sequence }) => sequence);
  const [codes, texts, manual, reversals] = await Promise.all([
    loadAccountCodes(db, bookId, entries),
    described.length === 0 ? new Map<bigint, string>() : loadTexts(db, bookId, described),
    asked.length === 0 ? new Map<Uuid, ManualEntry>() : loadManual(db, bookId, asked),
    asked.length === 0 ? new Map<Uuid, { reversalId: Uuid }>() : entryReversals.load(db, bookId, asked),
  ]);
  const codeOf = (accountId: Uuid) => codes.get(accountId)!;
  return entries.map((entry) => ({
    entry,
    facts: {
      codeOf,
      manual: manual.get(entry.id),
      description: texts.get(entry.sequence) ?? null,
      reversedBy: reversals.get(entry.id)?.reversalId ?? null,
    },
  }));
}

async function loadTexts(db: Queryable, bookId: BookId, sequences: readonly bigint[]): Promise<Map<bigint, string>> {
  const { rows } = await db.query<{ entry_sequence: bigint; description: string }>({
    name: 'entry_texts.load',
    text: 'SELECT entry_sequence, description FROM entry_texts WHERE book_id = $1 AND entry_sequence = ANY ($2::bigint[])',
    values: [bookId, plainArray(sequences)],
  });
  return new Map(rows.map((row) => [row.entry_sequence, row.description]));
}

/** What organisations call their own entries, by the entry. Index: manual_entries_pkey. */
export async function readExternalIds(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, string>> {
  const manual = await loadManual(db, bookId, ids);
  return new Map([...manual.values()].flatMap(({ id, externalId }) => (externalId === null ? [] : [[id, externalId]])));
}

const COLUMNS = manualEntries.columns.map(({ name }) => name).join(', ');
const manualFromRow = nounOf(manualEntries.columns);

async function loadManual(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, ManualEntry>> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'manual_entries.load',
    text: `SELECT ${COLUMNS} FROM manual_entries WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
    values: [bookId, plainArray(ids)],
  });
  return new Map(rows.map((row) => [row.id, manualFromRow({ ...row })]));
}
