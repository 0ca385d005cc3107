/** Reading the journal from its first entry on. Everything is below a bound that was read before, so no row changes any more. */
import { plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { EntryText, Posting } from '../ledger/entry.ts';
import {
  type EntryRow,
  entryFromRow,
  POSTING_COLUMNS,
  type PostingRow,
  postingFromRow,
  type ReadEntry,
} from '../ledger/journal-read-store.ts';

export interface JournalRow extends ReadEntry {
  /** Null where there never was one, or where it was erased. */
  text: EntryText | null;
}

type EntryWithText = EntryRow & { salt: Buffer | null; description: string | null };

/** Entries after a sequence, with their texts and postings. Indexes: entries_pkey, entry_texts_pkey, postings_pkey. */
export async function readJournal(
  db: Queryable,
  bookId: BookId,
  page: { after: bigint; upTo: bigint; limit: number },
): Promise<JournalRow[]> {
  const { rows } = await db.query<EntryWithText>({
    name: 'verify.entries',
    text: `SELECT e.sequence, e.id, e.resource, e.resource_id, e.step, e.posted_at, e.effective_at, e.request_id,
        e.floor_overridden, e.text_digest, e.hash, t.salt, t.description
      FROM entries e LEFT JOIN entry_texts t ON t.book_id = e.book_id AND t.entry_sequence = e.sequence
      WHERE e.book_id = $1 AND e.sequence > $2 AND e.sequence <= $3 ORDER BY e.sequence LIMIT $4`,
    values: [bookId, page.after, page.upTo, page.limit],
  });
  const last = rows.at(-1)?.sequence;
  if (last === undefined) return [];
  const postings = await readPostings(db, bookId, { after: page.after, upTo: last });
  return rows.map((row) => ({
    ...entryFromRow(row, postings.get(row.sequence) ?? []),
    text: row.salt === null ? null : { salt: row.salt, description: row.description! },
  }));
}

async function readPostings(
  db: Queryable,
  bookId: BookId,
  range: { after: bigint; upTo: bigint },
): Promise<Map<bigint, Posting[]>> {
  const { rows } = await db.query<PostingRow>({
    name: 'verify.postings',
    text: `SELECT ${POSTING_COLUMNS} FROM postings
      WHERE book_id = $1 AND entry_sequence > $2 AND entry_sequence <= $3 ORDER BY entry_sequence, ordinal`,
    values: [bookId, range.after, range.upTo],
  });
  const postings = new Map<bigint, Posting[]>();
  for (const row of rows) {
    const list = postings.get(row.entry_sequence);
    if (list) list.push(postingFromRow(row));
    else postings.set(row.entry_sequence, [postingFromRow(row)]);
  }
  return postings;
}

/** Which of these payouts and transfers exist. Indexes: the primary keys. */
export async function findResources(
  db: Queryable,
  bookId: BookId,
  ids: { payouts: readonly Uuid[]; transfers: readonly Uuid[] },
): Promise<Set<Uuid>> {
  const { rows } = await db.query<{ id: string }>({
    name: 'verify.resources',
    text: `SELECT id FROM payouts WHERE book_id = $1 AND id = ANY ($2::uuid[])
      UNION ALL SELECT id FROM inbound_transfers WHERE book_id = $1 AND id = ANY ($3::uuid[])`,
    values: [bookId, plainArray(ids.payouts), plainArray(ids.transfers)],
  });
  return new Set(rows.map(({ id }) => id));
}

export interface StepRow {
  readonly resourceId: Uuid;
  readonly step: string;
  readonly sequence: bigint;
}

/**
 * Steps in the order of resources, so that one that was booked twice lies beside itself. Index: the unique one over
 * (book, resource, step), whose word is not taken for it: an index can be dropped or broken.
 */
export async function readSteps(
  db: Queryable,
  bookId: BookId,
  page: { after: StepRow | undefined; upTo: bigint; limit: number },
): Promise<StepRow[]> {
  const { rows } = await db.query<{ resource_id: string; step: string; sequence: bigint }>({
    name: 'verify.steps',
    text: `SELECT resource_id, step, sequence FROM entries
      WHERE book_id = $1 AND (resource_id, step) >= ($2, $3) AND (resource_id, step, sequence) > ($2, $3, $4) AND sequence <= $5
      ORDER BY resource_id, step, sequence LIMIT $6`,
    values: [
      bookId,
      page.after?.resourceId ?? '00000000-0000-0000-0000-000000000000',
      page.after?.step ?? '',
      page.after?.sequence ?? 0n,
      page.upTo,
      page.limit,
    ],
  });
  return rows.map((row) => ({ resourceId: row.resource_id, step: row.step, sequence: row.sequence }));
}
