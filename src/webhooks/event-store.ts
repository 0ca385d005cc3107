/** Reading events, as GET /v1/events shows them: the stored text itself, the same bytes that webhooks carry. */
import type { Instant } from '../clock.ts';
import { textArray } from '../db/columns.ts';
import { type Page, type PageRequest, pageOf } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import { ApiError } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { expandEventFilters } from './event-filter.ts';

export interface StoredEvent {
  readonly id: Uuid;
  readonly sequence: bigint;
  /** JSON text. */
  readonly payload: string;
}

export interface EventFilter {
  bookId: BookId;
  /** Names and groups (`payout.*`); any of them. */
  types?: readonly string[];
  objectId?: Uuid;
  /** At or after. */
  createdGte?: Instant;
  /** Before. */
  createdLt?: Instant;
}

/** Index: events_book_id_id_key. */
export async function getEvent(db: Queryable, bookId: BookId, id: Uuid): Promise<StoredEvent | undefined> {
  const { rows } = await db.query<StoredEvent>({
    name: 'events.get',
    text: 'SELECT id, sequence, payload FROM events WHERE book_id = $1 AND id = $2',
    values: [bookId, id],
  });
  return rows[0];
}

/**
 * Newest first; cursors are ids of events. Every filter becomes a range of sequence numbers or an index to walk, so a page
 * costs what it shows: times by a search among the sequence numbers, an object by events_by_object, types by one walk
 * each of events_by_type. Throws ApiError `cursor_invalid` for a cursor that is no event of the book.
 */
export async function listEvents(db: Queryable, filter: EventFilter, page: PageRequest): Promise<Page<StoredEvent>> {
  const range = await sequenceRange(db, filter, page);
  const types =
    filter.types === undefined || filter.types.includes('*') ? null : textArray(expandEventFilters(filter.types));
  const order = page.endingBefore === undefined ? 'DESC' : 'ASC';
  return pageOf(await readRange(db, { ...filter, ...range, types, order, limit: page.limit + 1 }), page);
}

/** A page's cursors as sequence numbers. */
export async function cursorSequences(db: Queryable, bookId: BookId, page: PageRequest): Promise<PageRequest> {
  const sequenceOf = async (param: string, id: Uuid | undefined) => {
    if (id === undefined) return undefined;
    const { rows } = await db.query<{ sequence: bigint }>({
      name: 'events.sequence',
      text: 'SELECT sequence FROM events WHERE book_id = $1 AND id = $2',
      values: [bookId, id],
    });
    if (!rows[0]) throw new ApiError('cursor_invalid', { param, detail: 'There is no such event in this book.' });
    return String(rows[0].sequence);
  };
  return {
    limit: page.limit,
    startingAfter: await sequenceOf('starting_after', page.startingAfter),
    endingBefore: await sequenceOf('ending_before', page.endingBefore),
  };
}

/** Beyond every sequence number: a bound that is always there lets the index serve it. */
const NO_END = 2n ** 63n - 1n;

interface SequenceRange {
  /** Exclusive. */
  above: bigint;
  /** Exclusive. */
  below: bigint;
}

interface Reading extends SequenceRange {
  bookId: BookId;
  limit: number;
  types: string | null;
  objectId?: Uuid;
  order: 'ASC' | 'DESC';
}

async function readRange(
  db: Queryable,
  { bookId, limit, types, objectId, order, above, below }: Reading,
): Promise<StoredEvent[]> {
  const inRange = 'book_id = $1 AND sequence > $2 AND sequence < $3';
  const values: unknown[] = [bookId, above, below, limit];
  const select = 'SELECT id, sequence, payload FROM';
  const end = `ORDER BY sequence ${order} LIMIT $4`;
  if (objectId !== undefined) {
    const ofType = types === null ? '' : 'AND type = ANY ($6::text[])';
    const { rows } = await db.query<StoredEvent>(
      `${select} events WHERE ${inRange} AND object_id = $5 ${ofType} ${end}`,
      [...values, objectId, ...(types === null ? [] : [types])],
    );
    return rows;
  }
  const source =
    types === null
      ? `events WHERE ${inRange}`
      : `unnest($5::text[]) AS t (name) CROSS JOIN LATERAL
          (SELECT id, sequence, payload FROM events WHERE ${inRange} AND type = t.name ${end}) AS of_type`;
  const { rows } = await db.query<StoredEvent>(
    `${select} ${source} ${end}`,
    types === null ? values : [...values, types],
  );
  return rows;
}

/** Cursors and times as one range of sequence numbers. */
async function sequenceRange(
  db: Queryable,
  { bookId, createdGte, createdLt }: EventFilter,
  page: PageRequest,
): Promise<SequenceRange> {
  const { startingAfter, endingBefore } = await cursorSequences(db, bookId, page);
  const above = [0n];
  const below = [NO_END];
  if (endingBefore !== undefined) above.push(BigInt(endingBefore));
  if (startingAfter !== undefined) below.push(BigInt(startingAfter));
  if (createdGte !== undefined) above.push((await firstSequenceAt(db, bookId, createdGte)) - 1n);
  if (createdLt !== undefined) below.push(await firstSequenceAt(db, bookId, createdLt));
  return { above: above.sort(ascending).at(-1)!, below: below.sort(ascending)[0]! };
}

const ascending = (a: bigint, b: bigint) => Number(a - b);

/**
 * The first sequence number whose event was made at or after a moment; one beyond the last when there is none. A book's
 * time never runs backwards and its sequence has no gaps, so some twenty look-ups of the key find it among millions, and
 * no index on the time has to be kept in the committer's way. The oldest number is asked for: retention may begin later.
 */
async function firstSequenceAt(db: Queryable, bookId: BookId, moment: Instant): Promise<bigint> {
  const { rows } = await db.query<{ found: bigint }>({
    name: 'events.first_at',
    text: `WITH RECURSIVE search (low, high) AS (
        SELECT COALESCE((SELECT min(sequence) FROM events WHERE book_id = $1), 1), COALESCE((SELECT max(sequence) FROM events WHERE book_id = $1), 0) + 1
        UNION ALL
        SELECT CASE WHEN e.created_at < $2 THEN e.sequence + 1 ELSE s.low END, CASE WHEN e.created_at < $2 THEN s.high ELSE e.sequence END
        FROM search s JOIN events e ON e.book_id = $1 AND e.sequence = (s.low + s.high) / 2
        WHERE s.low < s.high
      ) SELECT max(low) AS found FROM search`,
    values: [bookId, new Date(moment)],
  });
  return rows[0]!.found;
}
