/**
 * Pages of the journal, newest first, with filters. One filter gives candidates in the order of sequences, by an index; the others are
 * compared with the entries. A page looks at CANDIDATES_MAX candidates at most, and reports how far it came. Posted days become sequences by
 * halves, since the journal is in the order of its times and has no index on them.
 */
import { build, type keyset, type Page, type PageRequest, runBuilt } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { CANDIDATES_MAX, COUNTED_TO } from '../../db/walk.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { findLinesUpTo, findSequenceAt } from '../../ledger/journal/sequence-at-store.ts';
import type { Between, Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { MANUAL } from './manual-entry.ts';

/** A statement that is being built. */
type Query = ReturnType<typeof keyset>;

export interface EntryFilter {
  readonly accountId?: Uuid | undefined;
  readonly origin?: 'system' | 'manual' | undefined;
  readonly resourceId?: Uuid | undefined;
  readonly step?: string | undefined;
  /** From the first moment on, and before the second. */
  readonly posted?: Between | undefined;
  readonly effective?: Between | undefined;
  readonly sequenceGt?: bigint | undefined;
  readonly sequenceLte?: bigint | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Sequences after the first, up to the second. */
interface Range {
  readonly after: bigint;
  readonly upTo: bigint;
}

/**
 * The sequences of a page, with where a short one stopped. `head` is the last sequence of the book. Indexes: entries_pkey; for a
 * resource entries_book_id_resource_id_step_key, for an account postings' (book, account, line), for a reference
 * manual_entries_by_external_id, for metadata metadata_index_pkey and manual_entries_pkey, for manual entries manual_entries_in_order.
 */
export async function listSequences(
  db: Queryable,
  bookId: BookId,
  filter: EntryFilter,
  { head, ...page }: PageRequest & { readonly head: bigint },
): Promise<Page<bigint>> {
  const range = await rangeOf(db, bookId, filter, { head, page });
  if (range.after >= range.upTo) return { rows: [], hasMore: false };
  const order = page.endingBefore === undefined ? 'desc' : 'asc';
  const { candidates } = await candidatesOf(db, bookId, filter, { range, order });
  const query = build
    .from(build.raw('entries AS e JOIN ? AS c ON c.sequence = e.sequence', [candidates.clone()]))
    .select('e.sequence')
    .where('e.book_id', bookId);
  compare(query, bookId, filter);
  const found = await runBuilt<{ sequence: bigint }>(db, query.orderBy('e.sequence', order).limit(page.limit + 1));
  const kept = found.slice(0, page.limit).map(({ sequence }) => sequence);
  if (order === 'asc') kept.reverse();
  if (found.length > page.limit) return { rows: kept, hasMore: true };
  const [last] = await runBuilt<{ sequence: bigint }>(
    db,
    candidates
      .clone()
      .offset(CANDIDATES_MAX - 1)
      .limit(1),
  );
  return last ? { rows: kept, hasMore: true, reached: String(last.sequence) } : { rows: kept, hasMore: false };
}

async function rangeOf(
  db: Queryable,
  bookId: BookId,
  filter: EntryFilter,
  { head, page }: { readonly head: bigint; readonly page: PageRequest },
): Promise<Range> {
  // No entry takes effect before a day that had begun when it was posted: an effective day bounds the posted ones from below.
  const from = latest(filter.posted?.from, filter.effective?.from);
  const before = filter.posted?.before;
  const [fromSequence, beforeSequence] = await Promise.all([
    from === undefined ? 0n : findSequenceAt(db, bookId, { head, before: from }),
    before === undefined ? head : findSequenceAt(db, bookId, { head, before }),
  ]);
  const lower = [fromSequence, filter.sequenceGt ?? 0n];
  const upper = [beforeSequence, filter.sequenceLte ?? head];
  if (page.startingAfter !== undefined) upper.push(BigInt(page.startingAfter) - 1n);
  if (page.endingBefore !== undefined) lower.push(BigInt(page.endingBefore));
  return {
    after: lower.reduce((most, one) => (one > most ? one : most)),
    upTo: upper.reduce((least, one) => (one < least ? one : least)),
  };
}

function latest(one: Instant | undefined, other: Instant | undefined): Instant | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.max(one, other);
}

type Order = 'asc' | 'desc';

/** Within an object: a builder that is awaited runs. */
interface Candidates {
  readonly candidates: Query;
}

/** In order, CANDIDATES_MAX at most. */
async function candidatesOf(
  db: Queryable,
  bookId: BookId,
  filter: EntryFilter,
  { range, order }: { readonly range: Range; readonly order: Order },
): Promise<Candidates> {
  const within = (query: Query): Candidates => ({
    candidates: query
      .where('sequence', '>', String(range.after))
      .where('sequence', '<=', String(range.upTo))
      .orderBy('sequence', order)
      .limit(CANDIDATES_MAX),
  });
  if (filter.resourceId !== undefined)
    return within(build('entries').select('sequence').where({ book_id: bookId, resource_id: filter.resourceId }));
  if (filter.externalId !== undefined)
    return within(
      build('manual_entries').select('sequence').where({ book_id: bookId, external_id: filter.externalId }),
    );
  const rare = await rarePair(db, bookId, filter.metadata);
  if (rare) return within(build.from(rare.pairs.as('pairs')).select('sequence'));
  if (filter.accountId !== undefined) return linesOf(db, bookId, { accountId: filter.accountId, range, order });
  const table = filter.origin === 'manual' || filter.metadata ? 'manual_entries' : 'entries';
  return within(build(table).select('sequence').where('book_id', bookId));
}

/** The entries of a pair that has few: all of them are read and sorted. */
async function rarePair(
  db: Queryable,
  bookId: BookId,
  metadata: Readonly<Record<string, string>> = {},
): Promise<{ readonly pairs: Query } | undefined> {
  for (const [key, value] of Object.entries(metadata)) {
    const pairs = build('metadata_index')
      .select('object_id')
      .where({ book_id: bookId, object: MANUAL.resource, key, value })
      .limit(COUNTED_TO);
    const [row] = await runBuilt<{ count: bigint }>(db, build.count('*').from(pairs.clone().as('counted')));
    if (Number(row!.count) >= COUNTED_TO) continue;
    const found = build.raw('? AS i JOIN manual_entries m ON m.book_id = ? AND m.id = i.object_id', [pairs, bookId]);
    return { pairs: build.select('m.sequence').from(found) };
  }
  return undefined;
}

/** Entries with a posting on the account: its lines, which have the order of sequences. */
async function linesOf(
  db: Queryable,
  bookId: BookId,
  { accountId, range, order }: { readonly accountId: Uuid; readonly range: Range; readonly order: Order },
): Promise<Candidates> {
  const [after, upTo] = await Promise.all([
    findLinesUpTo(db, bookId, { accountId, sequence: range.after }),
    findLinesUpTo(db, bookId, { accountId, sequence: range.upTo }),
  ]);
  const side = (direction: 'debit' | 'credit') =>
    build('postings')
      .select({ line: `${direction}_line`, sequence: 'entry_sequence' })
      .where({ book_id: bookId, [`${direction}_account_id`]: accountId })
      .where(`${direction}_line`, '>', String(after))
      .where(`${direction}_line`, '<=', String(upTo))
      .orderBy(`${direction}_line`, order)
      // An entry may have a hundred lines of one account.
      .limit(CANDIDATES_MAX);
  const lines = build
    .from(build.unionAll([side('debit'), side('credit')], true).as('sides'))
    .select('sequence', 'line');
  const candidates = build
    .from(lines.orderBy('line', order).limit(CANDIDATES_MAX).as('lines'))
    .distinct('sequence')
    .orderBy('sequence', order)
    .limit(CANDIDATES_MAX);
  return { candidates };
}

function compare(query: Query, bookId: BookId, filter: EntryFilter): void {
  const { accountId, origin, resourceId, step, effective, externalId, metadata } = filter;
  if (resourceId !== undefined) query.where('e.resource_id', resourceId);
  if (origin !== undefined) query.where('e.resource', origin === 'manual' ? '=' : '<>', MANUAL.resource);
  if (step !== undefined) query.where('e.step', step);
  if (effective?.from !== undefined) query.where('e.effective_at', '>=', new Date(effective.from).toISOString());
  if (effective?.before !== undefined) query.where('e.effective_at', '<', new Date(effective.before).toISOString());
  if (accountId !== undefined)
    query.whereRaw(
      'EXISTS (SELECT FROM postings p WHERE p.book_id = ? AND p.entry_sequence = e.sequence AND (p.debit_account_id = ? OR p.credit_account_id = ?))',
      [bookId, accountId, accountId],
    );
  if (externalId === undefined && metadata === undefined) return;
  const described = build('manual_entries as m').where('m.book_id', bookId).whereRaw('m.id = e.id');
  if (externalId !== undefined) described.where('m.external_id', externalId);
  if (metadata !== undefined) described.whereRaw('m.metadata @> ?::jsonb', [JSON.stringify(metadata)]);
  query.whereExists(described);
}
