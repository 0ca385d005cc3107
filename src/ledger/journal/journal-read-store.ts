/** Reads the journal: entries with their postings, and the lines of one account. */

import { plainArray } from '../../db/columns.ts';
import { newestAccount } from '../../db/newest.ts';
import { build, keyset, type Page, type PageRequest, pageOf, runBuilt } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';
import type { Entry, Posting } from '../entry/entry.ts';

export interface EntryRow {
  sequence: bigint;
  id: string;
  resource: string;
  resource_id: string;
  step: string;
  posted_at: Instant;
  effective_at: Instant;
  request_id: string;
  floor_overridden: boolean;
  text_digest: Buffer | null;
  reverses: string | null;
  occurred_on: string | null;
  hash: Buffer;
}

interface PostingRow {
  entry_sequence: bigint;
  ordinal: number;
  debit_account_id: string;
  credit_account_id: string;
  amount: bigint;
  currency: string;
  debit_line: bigint;
  debit_balance_after: bigint;
  credit_line: bigint;
  credit_balance_after: bigint;
}

const ENTRY_COLUMNS =
  'sequence, id, resource, resource_id, step, posted_at, effective_at, request_id, floor_overridden, text_digest, reverses, occurred_on, hash';
const POSTING_COLUMNS =
  'entry_sequence, ordinal, debit_account_id, credit_account_id, amount, currency, debit_line, debit_balance_after, credit_line, credit_balance_after';

export type ReadEntry = Omit<Entry, 'text'>;

function entryFromRow(row: EntryRow, postings: readonly Posting[]): ReadEntry {
  return {
    sequence: row.sequence,
    id: row.id,
    resource: row.resource,
    resourceId: row.resource_id,
    step: row.step,
    postedAt: row.posted_at,
    effectiveAt: row.effective_at,
    requestId: row.request_id,
    floorOverridden: row.floor_overridden,
    textDigest: row.text_digest,
    reverses: row.reverses,
    occurredOn: row.occurred_on,
    hash: row.hash.toString('hex'),
    postings,
  };
}

function postingFromRow(row: PostingRow): Posting {
  return {
    ordinal: row.ordinal,
    debitAccountId: row.debit_account_id,
    creditAccountId: row.credit_account_id,
    amount: row.amount,
    currency: row.currency,
    debitLine: row.debit_line,
    debitBalanceAfter: row.debit_balance_after,
    creditLine: row.credit_line,
    creditBalanceAfter: row.credit_balance_after,
  };
}

/** Postings of the given entries, by sequence of the entry. Index: postings_pkey. */
export async function loadPostings(
  db: Queryable,
  bookId: BookId,
  sequences: readonly bigint[],
): Promise<Map<bigint, Posting[]>> {
  const { rows } = await db.query<PostingRow>({
    name: 'postings.load',
    text: `SELECT ${POSTING_COLUMNS} FROM postings WHERE book_id = $1 AND entry_sequence = ANY ($2::bigint[]) ORDER BY entry_sequence, ordinal`,
    values: [bookId, plainArray(sequences)],
  });
  return byEntry(rows);
}

function byEntry(rows: readonly PostingRow[]): Map<bigint, Posting[]> {
  const postings = new Map<bigint, Posting[]>();
  for (const row of rows) {
    const list = postings.get(row.entry_sequence);
    if (list) list.push(postingFromRow(row));
    else postings.set(row.entry_sequence, [postingFromRow(row)]);
  }
  return postings;
}

/** The account codes of the entries' postings, by account id. Index: accounts_pkey. */
export async function loadAccountCodes(
  db: Queryable,
  bookId: BookId,
  entries: readonly ReadEntry[],
): Promise<Map<Uuid, string>> {
  const ids = new Set(
    entries.flatMap((entry) => entry.postings.flatMap((posting) => [posting.debitAccountId, posting.creditAccountId])),
  );
  const { rows } = await db.query<{ id: string; code: string }>({
    name: 'accounts.codes',
    text: `SELECT a.id, a.code FROM unnest($2::uuid[]) AS w (wanted), LATERAL (${newestAccount('id, code', '$1', 'w.wanted')}) a`,
    values: [bookId, plainArray([...ids])],
  });
  return new Map(rows.map((row) => [row.id, row.code]));
}

async function withPostings(db: Queryable, bookId: BookId, rows: readonly EntryRow[]): Promise<ReadEntry[]> {
  const postings = await loadPostings(
    db,
    bookId,
    rows.map((row) => row.sequence),
  );
  return rows.map((row) => entryFromRow(row, postings.get(row.sequence) ?? []));
}

/**
 * Entries after a sequence, in order, for readers of a whole journal. `upTo` is a bound that was read before: rows up
 * to it no longer change. Indexes: entries_pkey, postings_pkey.
 */
export async function readEntries(
  db: Queryable,
  bookId: BookId,
  page: { after: bigint; upTo: bigint; limit: number },
): Promise<ReadEntry[]> {
  const { rows } = await db.query<EntryRow>({
    name: 'entries.read',
    text: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE book_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT $4`,
    values: [bookId, page.after, page.upTo, page.limit],
  });
  const last = rows.at(-1)?.sequence;
  if (last === undefined) return [];
  const { rows: lines } = await db.query<PostingRow>({
    name: 'postings.read',
    text: `SELECT ${POSTING_COLUMNS} FROM postings
      WHERE book_id = $1 AND entry_sequence > $2 AND entry_sequence <= $3 ORDER BY entry_sequence, ordinal`,
    values: [bookId, page.after, last],
  });
  const postings = byEntry(lines);
  return rows.map((row) => entryFromRow(row, postings.get(row.sequence) ?? []));
}

export async function findEntry(db: Queryable, bookId: BookId, id: Uuid): Promise<ReadEntry | undefined> {
  const { rows } = await db.query<EntryRow>({
    name: 'entries.find',
    text: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE book_id = $1 AND id = $2`,
    values: [bookId, id],
  });
  return (await withPostings(db, bookId, rows))[0];
}

/** Entries by sequence, in the order given. Indexes: entries_pkey, postings_pkey. */
export async function loadEntries(db: Queryable, bookId: BookId, sequences: readonly bigint[]): Promise<ReadEntry[]> {
  if (sequences.length === 0) return [];
  const { rows } = await db.query<EntryRow>({
    name: 'entries.load',
    text: `SELECT ${ENTRY_COLUMNS} FROM entries WHERE book_id = $1 AND sequence = ANY ($2::bigint[])`,
    values: [bookId, plainArray(sequences)],
  });
  const found = new Map((await withPostings(db, bookId, rows)).map((entry) => [entry.sequence, entry]));
  return sequences.flatMap((sequence) => found.get(sequence) ?? []);
}

export interface EntryFilter {
  resourceId?: Uuid;
}

/**
 * A page of the journal, newest first; the cursor is the sequence. Index: entries_pkey. For one resource,
 * entries_book_id_resource_id_step_key first gives the sequences of its entries: a few, never more than the resource
 * has steps. Without this, the planner may walk the primary key and filter, which reads the whole book when the
 * resource has no entry.
 */
export async function listEntries(
  db: Queryable,
  bookId: BookId,
  filter: EntryFilter,
  page: PageRequest,
): Promise<Page<ReadEntry>> {
  const query = build('entries').select(build.raw(ENTRY_COLUMNS)).where('book_id', bookId);
  if (filter.resourceId !== undefined) {
    query.whereRaw(
      'sequence = ANY (ARRAY(SELECT sequence FROM entries WHERE book_id = ? AND resource_id = ? ORDER BY step))',
      [bookId, filter.resourceId],
    );
  }
  const rows = await runBuilt<EntryRow>(db, keyset(query, page, 'sequence'));
  const { rows: kept, hasMore } = pageOf(rows, page);
  return { rows: await withPostings(db, bookId, kept), hasMore };
}

/** The sequence of an entry: turns an id into a cursor. */
export async function findEntrySequence(db: Queryable, bookId: BookId, id: Uuid): Promise<bigint | undefined> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: 'entries.sequence',
    text: 'SELECT sequence FROM entries WHERE book_id = $1 AND id = $2',
    values: [bookId, id],
  });
  return rows[0]?.sequence;
}
