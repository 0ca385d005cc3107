import { z } from 'zod';
import { found } from '../../api/answers.ts';
import { listQuery, pageAnswer, pageRequest, readList } from '../../api/pages.ts';
import { route } from '../../api/route.ts';
import { exampleId } from '../../api/schemas/fields.ts';
import { journalEntry } from '../../api/schemas/journal.ts';
import { listOf } from '../../api/schemas/shown.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors.ts';
import { type IdKind, parsePublicId, publicId, type Uuid } from '../../ids.ts';
import type { BookId } from '../../ledger/book.ts';
import { journalEntryView } from '../../ledger/entry-view.ts';
import {
  findEntry,
  findEntrySequence,
  listEntries,
  loadAccountCodes,
  type ReadEntry,
} from '../../ledger/journal-read-store.ts';

/** The kinds of objects that entries belong to. */
const RESOURCES: readonly IdKind[] = ['payout', 'inboundTransfer', 'exception'];

function parseResource(text: string): Uuid | undefined {
  for (const kind of RESOURCES) {
    const id = parsePublicId(kind, text);
    if (id !== undefined) return id;
  }
  return undefined;
}

const resourceFilter = z
  .string()
  .check((context) => {
    if (parseResource(context.value) !== undefined) return;
    const message = `Expects the id of a payout or an inbound transfer, such as ${exampleId('payout')}.`;
    context.issues.push({ code: 'custom', input: context.value, message });
  })
  .transform((text) => parseResource(text)!)
  .optional()
  .meta({ type: 'string', description: 'Entries that are steps of this object.', example: exampleId('payout') });

const list = route({
  method: 'get',
  path: '/v1/journal/entries',
  operation: 'listJournalEntries',
  tag: 'Journal',
  summary: 'List journal entries',
  scope: 'journal:read',
  query: listQuery('entry', { resource: resourceFilter }),
  responses: { 200: { description: 'Newest first.', schema: listOf(journalEntry, 'JournalEntry') } },
  async handle(request) {
    const { principal, query } = request;
    const { bookId } = principal;
    const page = pageRequest(query);
    return readList(request, async (db) => {
      const [startingAfter, endingBefore] = await Promise.all([
        sequenceAt(db, bookId, { param: 'starting_after', id: page.startingAfter }),
        sequenceAt(db, bookId, { param: 'ending_before', id: page.endingBefore }),
      ]);
      const bounds = { limit: page.limit, startingAfter, endingBefore };
      const entries = await listEntries(db, bookId, { resourceId: query.resource }, bounds);
      return pageAnswer(entries, { query, url: '/v1/journal/entries' }, await viewer(db, bookId, entries.rows));
    });
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

async function viewer(db: Queryable, bookId: BookId, entries: readonly ReadEntry[]) {
  const codes = await loadAccountCodes(db, bookId, entries);
  return (entry: ReadEntry) => journalEntryView(entry, (accountId) => codes.get(accountId)!);
}

const read = route({
  method: 'get',
  path: '/v1/journal/entries/:id',
  operation: 'getJournalEntry',
  tag: 'Journal',
  summary: 'Read a journal entry',
  scope: 'journal:read',
  params: { id: 'entry' },
  responses: { 200: { description: 'It never changes.', schema: journalEntry } },
  async handle(request) {
    const { runtime, principal, params } = request;
    const entry = found(await findEntry(runtime.pool, principal.bookId, params.id!));
    const view = await viewer(runtime.pool, principal.bookId, [entry]);
    return { status: 200, json: view(entry) };
  },
});

export const journalRoutes = [list, read];
