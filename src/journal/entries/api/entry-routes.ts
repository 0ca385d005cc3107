import { z } from 'zod';
import type { ApiResource } from '../../../api/api-resource.ts';
import { daysFilter, momentsOf } from '../../../api/days-filter.ts';
import { dryRunQuery } from '../../../api/dry-run.ts';
import { externalIdFilter, metadataFilter } from '../../../api/pages.ts';
import { listRoute, readRoute } from '../../../api/read-routes.ts';
import { type RouteRequest, route } from '../../../api/route.ts';
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { objectReference, reference } from '../../../api/schemas/fields.ts';
import { journalEntry } from '../../../api/schemas/journal.ts';
import { actionRoute, createRoute } from '../../../api/write-routes.ts';
import type { Queryable } from '../../../db/pool.ts';
import { ApiError } from '../../../errors/errors.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { loadBook } from '../../../ledger/book/book-store.ts';
import { findEntry, findEntrySequence, listEntries, loadEntries } from '../../../ledger/journal/journal-read-store.ts';
import type { DeclaredResource } from '../../../ledger/resources/declared-resource.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import type { EntryInput } from '../entry-command.ts';
import { type ShownEntry, withFacts } from '../entry-facts-store.ts';
import { listSequences } from '../entry-list-store.ts';
import { entryView } from '../entry-view.ts';
import { manualEntryResource } from '../manual-entry-resource.ts';
import { requestEntries } from '../request-entries.ts';
import { requestReversal } from '../reverse-entry.ts';
import * as schemas from './entry-schemas.ts';

const entryApi: ApiResource<ShownEntry> = {
  path: '/v1/journal/entries',
  tag: 'Journal',
  type: 'JournalEntry',
  names: { types: 'JournalEntries', one: 'a journal entry', many: 'journal entries' },
  declared: manualEntryResource,
  cursor: 'entry',
  schema: journalEntry,
  scopes: { read: 'journal:read', write: 'journal:write' },
  async find(db, bookId, id) {
    const entry = await findEntry(db, bookId, id);
    return entry && (await withFacts(db, bookId, [entry]))[0];
  },
  view: ({ entry, facts }, { livemode }) => entryView(entry, { ...facts, livemode }),
};

const sequence = z
  .string()
  .regex(/^\d{1,18}$/, { error: 'Expects a sequence number such as 17.' })
  .transform(BigInt)
  .optional();

const sequenceFilter = z
  .strictObject({
    gt: sequence.meta({ type: 'string', description: 'Entries after this one.', example: '17' }),
    lte: sequence.meta({ type: 'string', description: 'Entries up to this one.', example: '42' }),
  })
  .optional();

function listEntriesOf(resources: readonly DeclaredResource[]) {
  const booking = resources.filter(({ books }) => books);
  return listRoute(entryApi, {
    filters: {
      account: reference('account', 'Entries with a posting on this account.').optional(),
      origin: z.enum(['system', 'manual']).optional().meta({ description: 'Who booked them.' }),
      resource: objectReference(booking, 'Entries that are steps of this object.').optional(),
      step: z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,63}$/, { error: 'Expects the name of a step, such as paid.' })
        .optional()
        .meta({ description: 'Entries of this step.', example: 'paid' }),
      posted_on: daysFilter('Posted'),
      effective_on: daysFilter('Of effect'),
      sequence: sequenceFilter,
      external_id: externalIdFilter,
      metadata: metadataFilter,
    },
    async rows(db, { bookId, query, page }) {
      const { resource, account, origin, step, posted_on, effective_on, external_id, metadata } = query;
      const [startingAfter, endingBefore] = await Promise.all([
        sequenceAt(db, bookId, { param: 'starting_after', id: page.startingAfter }),
        sequenceAt(db, bookId, { param: 'ending_before', id: page.endingBefore }),
      ]);
      const bounds = { limit: page.limit, startingAfter, endingBefore };
      const narrowed = [account, origin, step, posted_on, effective_on, query.sequence, external_id, metadata];
      if (narrowed.every((filter) => filter === undefined)) {
        const { rows, hasMore } = await listEntries(db, bookId, { resourceId: resource }, bounds);
        return { rows: await withFacts(db, bookId, rows), hasMore };
      }
      const book = (await loadBook(db, bookId))!;
      const filter = {
        ...{ accountId: account, origin, step, resourceId: resource, externalId: external_id, metadata },
        ...{ posted: momentsOf(posted_on, book), effective: momentsOf(effective_on, book) },
        ...{ sequenceGt: query.sequence?.gt, sequenceLte: query.sequence?.lte },
      };
      const found = await listSequences(db, bookId, filter, { ...bounds, head: book.entrySequence });
      const rows = await withFacts(db, bookId, await loadEntries(db, bookId, found.rows));
      if (found.reached === undefined) return { rows, hasMore: found.hasMore };
      // The cursor of a short page is an id, as every other.
      const [last] = await loadEntries(db, bookId, [BigInt(found.reached)]);
      return { rows, hasMore: found.hasMore, reached: last!.id };
    },
  });
}

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

const read = readRoute(entryApi);

/** What refuses an entry, in the order of the guards. */
const REFUSALS = [
  'amount_not_integer',
  'amount_below_minimum',
  'amount_above_maximum',
  'currency_unsupported',
  'resource_not_found',
  'account_not_postable',
  'currency_mismatch',
  'period_closed',
  'expectation_failed',
  'state_conflict',
  'account_closed',
  'account_frozen',
  'insufficient_funds',
  'limit_exceeded',
] as const;

function inputOf(body: z.output<typeof schemas.createEntry>): EntryInput {
  return {
    postings: body.postings,
    effectiveOn: body.effective_on,
    description: body.description ?? null,
    externalId: body.external_id ?? null,
    metadata: body.metadata ?? {},
    expect: (body.expect ?? []).map(({ account, sequence: at, available_gte }) => ({
      account,
      sequence: at,
      availableGte: available_gte,
    })),
  };
}

const create = createRoute(entryApi, {
  since: '0.4.0',
  summary: 'Create a journal entry',
  description:
    "Moves money between customers' accounts, or between accounts of your own chart: nothing is made, and no rate is set. A posting debits one account and credits the other; one that names a `hold` captures it.",
  idempotency: 'required',
  query: dryRunQuery,
  body: schemas.createEntry,
  bodyExample: schemas.createEntryExample,
  responses: {
    200: {
      description: 'The answer to a dry run.',
      schema: journalEntry,
      shows: ['dry_run', 'resulting_balances'],
      isDryRun: true,
    },
    201: { description: 'Booked.', schema: journalEntry },
  },
  errors: REFUSALS,
  handle(request) {
    return runUseCase(request, requestEntries, {
      ...askedBy(request),
      dryRun: request.query.dry_run,
      entry: inputOf(request.body),
    });
  },
});

/** Each posting has five members, each expectation three; texts and metadata beside them. */
const BATCH_MEMBERS = 20_000;

const createBatch = route({
  method: 'post',
  path: '/v1/journal/entries/batches',
  operation: 'createJournalEntryBatch',
  since: '0.4.0',
  tag: 'Journal',
  summary: 'Create journal entries together',
  description: 'All of them are booked in one commit, in their order, or none is: `param` names the refused one.',
  scope: 'journal:write',
  idempotency: 'required',
  query: dryRunQuery,
  body: schemas.createBatch,
  bodyMembers: BATCH_MEMBERS,
  bodyExample: schemas.createBatchExample,
  responses: {
    200: {
      description: 'The answer to a dry run.',
      schema: schemas.postedBatch,
      shows: ['dry_run', 'resulting_balances'],
      isDryRun: true,
    },
    201: { description: 'Booked.', schema: schemas.postedBatch },
  },
  errors: REFUSALS,
  handle(request) {
    return runUseCase(request, requestEntries, {
      ...askedBy(request),
      dryRun: request.query.dry_run,
      entries: request.body.entries.map(inputOf),
    });
  },
});

const reverse = actionRoute(entryApi, 'reverse', {
  since: '0.4.0',
  summary: 'Reverse a journal entry',
  description:
    'Books the opposite of each posting, the last one first: once, and whole. Only of an entry that was created here; what a payout or a payment booked is undone by those, and `undo` names how. Floors, frozen accounts and closed days hold for it as for any entry, and no hold is given back.',
  idempotency: 'required',
  ifMatch: false,
  body: schemas.reverseEntry,
  bodyExample: { description: 'Booked twice' },
  responses: { 201: { description: 'The reversal.', schema: journalEntry } },
  errors: REFUSALS.filter((code) => !code.startsWith('amount_') && code !== 'currency_unsupported'),
  handle(request: RouteRequest<z.output<typeof schemas.reverseEntry>>) {
    const { body, params } = request;
    return runUseCase(request, requestReversal, {
      ...askedBy(request),
      entryId: params.id!,
      effectiveOn: body?.effective_on,
      description: body?.description ?? null,
    });
  },
});

/** Handed all resources: entries are listed by what they belong to. */
export const entryRoutes = (resources: readonly DeclaredResource[]) => [
  listEntriesOf(resources),
  create,
  createBatch,
  read,
  reverse,
];
