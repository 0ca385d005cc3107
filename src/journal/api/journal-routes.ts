import type { ApiResource } from '../../api/api-resource.ts';
import { listRoute, readRoute } from '../../api/read-routes.ts';
import { objectReference } from '../../api/schemas/fields.ts';
import { journalEntry } from '../../api/schemas/journal.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book.ts';
import { journalEntryView } from '../../ledger/entry-view.ts';
import {
  findEntry,
  findEntrySequence,
  listEntries,
  loadAccountCodes,
  type ReadEntry,
} from '../../ledger/journal-read-store.ts';
import { publicId, type Uuid } from '../../values/ids.ts';

/** An entry with the codes of the accounts that it touches. */
interface CodedEntry {
  readonly entry: ReadEntry;
  readonly codes: ReadonlyMap<Uuid, string>;
}

const entryApi: ApiResource<CodedEntry> = {
  path: '/v1/journal/entries',
  tag: 'Journal',
  type: 'JournalEntry',
  names: { types: 'JournalEntries', one: 'a journal entry', many: 'journal entries' },
  cursor: 'entry',
  schema: journalEntry,
  scopes: { read: 'journal:read' },
  async find(db, bookId, id) {
    const entry = await findEntry(db, bookId, id);
    return entry && (await withCodes(db, bookId, [entry]))[0];
  },
  view: ({ entry, codes }) => journalEntryView(entry, (accountId) => codes.get(accountId)!),
};

async function withCodes(db: Queryable, bookId: BookId, entries: readonly ReadEntry[]): Promise<CodedEntry[]> {
  const codes = await loadAccountCodes(db, bookId, entries);
  return entries.map((entry) => ({ entry, codes }));
}

/** The kinds of objects that entries belong to. */
const resourceFilter = objectReference(
  ['payout', 'payoutReturn', 'capture', 'refund', 'release', 'settlement', 'dispute', 'inboundTransfer', 'exception'],
  {
    expected:
      'the id of a payout, a return, a capture, a refund, a release, a settlement, a dispute, an inbound transfer or an exception',
    description: 'Entries that are steps of this object.',
  },
).optional();

const list = listRoute(entryApi, {
  filters: { resource: resourceFilter },
  async rows(db, { bookId, query, page }) {
    const [startingAfter, endingBefore] = await Promise.all([
      sequenceAt(db, bookId, { param: 'starting_after', id: page.startingAfter }),
      sequenceAt(db, bookId, { param: 'ending_before', id: page.endingBefore }),
    ]);
    const bounds = { limit: page.limit, startingAfter, endingBefore };
    const { rows, hasMore } = await listEntries(db, bookId, { resourceId: query.resource }, bounds);
    return { rows: await withCodes(db, bookId, rows), hasMore };
  },
});

/** The sequence number of a cursor's entry: the journal is paged by sequence, while a cursor is an entry's id. */
async function sequenceAt(
  db: Queryable,
  bookId: BookId,
  { param, id }: { param: string; id: Uuid | undefined },
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const sequence = await findEntrySequence(db, bookId, id);
  if (sequence === undefined) {
    throw new ApiError('cursor_invalid', { param, detail: `There is no entry ${publicId('entry', id)} in this book.` });
  }
  return String(sequence);
}

const read = readRoute(entryApi, { answer: 'It never changes.' });

export const journalRoutes = [list, read];
