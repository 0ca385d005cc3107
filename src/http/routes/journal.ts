import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { type IdKind, parsePublicId, publicId, type Uuid } from '../../ids.ts';
import { journalEntryView } from '../../ledger/entry-view.ts';
import {
  findEntry,
  findEntrySequence,
  listEntries,
  loadAccountCodes,
  type ReadEntry,
} from '../../ledger/journal-read-store.ts';
import { found } from '../answers.ts';
import { listQuery, pageAnswer, pageRequest } from '../pages.ts';
import { type RouteRequest, route } from '../route.ts';
import { exampleId } from '../schemas/fields.ts';
import { journalEntry } from '../schemas/journal.ts';
import { listOf } from '../schemas/shown.ts';

/** What entries are steps of. */
const RESOURCES: readonly IdKind[] = ['payout', 'inboundTransfer'];

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
    const { runtime, principal, query } = request;
    const page = pageRequest(query);
    const [startingAfter, endingBefore] = await Promise.all([
      sequenceAt(request, 'starting_after', page.startingAfter),
      sequenceAt(request, 'ending_before', page.endingBefore),
    ]);
    const bounds = { limit: page.limit, startingAfter, endingBefore };
    const entries = await listEntries(runtime.pool, principal.bookId, { resourceId: query.resource }, bounds);
    const view = await viewer(request, entries.rows);
    return pageAnswer(entries, { query, url: '/v1/journal/entries' }, view);
  },
});

/** The journal is read by its sequence; a cursor names an entry. */
async function sequenceAt(
  { runtime, principal }: RouteRequest,
  param: string,
  id: Uuid | undefined,
): Promise<string | undefined> {
  if (id === undefined) return undefined;
  const sequence = await findEntrySequence(runtime.pool, principal.bookId, id);
  if (sequence === undefined) {
    throw new ApiError('cursor_invalid', { param, detail: `There is no entry ${publicId('entry', id)} in this book.` });
  }
  return String(sequence);
}

async function viewer({ runtime, principal }: RouteRequest, entries: readonly ReadEntry[]) {
  const codes = await loadAccountCodes(runtime.pool, principal.bookId, entries);
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
    const view = await viewer(request, [entry]);
    return { status: 200, json: view(entry) };
  },
});

export const journalRoutes = [list, read];
