/** What the journal has of resources: each of their entries, with its postings. */

import { plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Posting } from '../ledger/entry/entry.ts';
import { loadPostings } from '../ledger/journal/journal-read-store.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface BookedStep {
  readonly id: Uuid;
  readonly step: string;
  /** By the book's time. */
  readonly postedAt: Instant;
  readonly postings: readonly Posting[];
}

/** Reads the entries of each resource, in the order of the journal. Index: entries' (book, resource, step). */
export async function readStepsOf(
  db: Queryable,
  bookId: BookId,
  resourceIds: readonly Uuid[],
): Promise<Map<Uuid, BookedStep[]>> {
  const { rows } = await db.query<{
    id: string;
    resource_id: string;
    step: string;
    sequence: bigint;
    posted_at: Instant;
  }>({
    name: 'verify.steps_of',
    text: `SELECT id, resource_id, step, sequence, posted_at FROM entries
      WHERE book_id = $1 AND resource_id = ANY ($2::uuid[]) ORDER BY sequence`,
    values: [bookId, plainArray(resourceIds)],
  });
  const postings = await loadPostings(
    db,
    bookId,
    rows.map(({ sequence }) => sequence),
  );
  return grouped(
    rows,
    (row) => row.resource_id,
    (row) => ({
      id: row.id,
      step: row.step,
      postedAt: row.posted_at,
      postings: postings.get(row.sequence) ?? [],
    }),
  );
}

/** Rows by a key of theirs, in the order in which they come. */
export function grouped<Row, Value>(rows: readonly Row[], keyOf: (row: Row) => string, pick: (row: Row) => Value) {
  const groups = new Map<string, Value[]>();
  for (const row of rows) {
    const list = groups.get(keyOf(row));
    if (list) list.push(pick(row));
    else groups.set(keyOf(row), [pick(row)]);
  }
  return groups;
}
