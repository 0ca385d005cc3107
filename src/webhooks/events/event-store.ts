/** Reads events as GET /v1/events shows them: their rendered text, the same bytes that webhooks carry. */

import { build, type IdBound, type Page, type PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { type Walk, walkPage } from '../../db/walk.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { FIRST_EVENT, KEPT_BYTES, KEPT_COLUMNS } from '../../ledger/events/event-read-store.ts';
import { type KeptEventRow, wholePayload } from '../../ledger/events/render-event.ts';
import { fillPayloads, textBytes } from '../../ledger/rows/personal-text-store.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { expandEventFilters } from './event-filter.ts';

export interface StoredEvent {
  readonly id: Uuid;
  readonly sequence: bigint;
  /** JSON text, as webhooks carry it. */
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
  const { rows } = await db.query<KeptEventRow>({
    name: 'events.get',
    text: `SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT} WHERE book_id = $1 AND id = $2`,
    values: [bookId, id],
  });
  return (await shown(db, bookId, rows))[0];
}

/**
 * Newest first; cursors are ids of events. Every filter is a range of sequence numbers or an index to walk (walk.ts):
 * times by a search among the sequence numbers, an object by events_by_object, types by one range each of
 * events_by_type. Types of an object are asked of the object's events. Throws ApiError `cursor_invalid` for a cursor
 * that is no event of the book.
 */
export async function listEvents(db: Queryable, filter: EventFilter, page: PageRequest): Promise<Page<StoredEvent>> {
  const { bookId, objectId } = filter;
  const types = filter.types === undefined || filter.types.includes('*') ? undefined : expandEventFilters(filter.types);
  const all = { table: 'events', id: 'sequence', equal: { book_id: bookId } };
  const walks: Walk[] = [];
  if (objectId !== undefined) walks.push({ ...all, among: { column: 'object_id', values: [objectId] } });
  else if (types) walks.push({ ...all, among: { column: 'type', values: types } });
  const bounds = await createdSequences(db, filter);
  const { rows, hasMore, reached } = await walkPage<KeptEventRow>(
    db,
    {
      all,
      walks,
      bounds,
      rechecked: objectId !== undefined && types !== undefined,
      row(candidate) {
        const query = build('events')
          .joinRaw(FIRST_EVENT)
          .select(build.raw(`${KEPT_COLUMNS}, ${KEPT_BYTES} + ${textBytes('events')} AS bytes`))
          .where({ book_id: bookId, sequence: candidate });
        return types === undefined ? query : query.whereIn('type', types);
      },
    },
    await cursorSequences(db, bookId, page),
  );
  return {
    rows: await shown(db, bookId, rows),
    hasMore,
    reached: reached && (await eventIdAt(db, bookId, reached)),
  };
}

/** At most one query for the personal text of a page. Index: personal_texts_pkey. */
async function shown(db: Queryable, bookId: BookId, rows: readonly KeptEventRow[]): Promise<StoredEvent[]> {
  const kept = rows.map((row) => ({
    id: row.id,
    sequence: row.sequence,
    payload: wholePayload(row),
    textReferences: row.text_references,
  }));
  return fillPayloads(db, bookId, kept);
}

/** The id of the event with a sequence number, for turning it into a cursor. Index: events_pkey. */
export async function eventIdAt(db: Queryable, bookId: BookId, sequence: string): Promise<Uuid> {
  const { rows } = await db.query<{ id: string }>('SELECT id FROM events WHERE book_id = $1 AND sequence = $2', [
    bookId,
    sequence,
  ]);
  return rows[0]!.id;
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

async function createdSequences(db: Queryable, { bookId, createdGte, createdLt }: EventFilter): Promise<IdBound[]> {
  const bounds: IdBound[] = [];
  if (createdGte !== undefined)
    bounds.push({ operator: '>=', id: String(await firstSequenceAt(db, bookId, createdGte)) });
  if (createdLt !== undefined) bounds.push({ operator: '<', id: String(await firstSequenceAt(db, bookId, createdLt)) });
  return bounds;
}

/**
 * The first sequence number whose event was made at or after a moment; one beyond the last without such an event. A
 * book's time never runs backwards and its sequence has no gaps, so some twenty index lookups find it among millions,
 * and the committer has no index on the time to maintain. The oldest number is read: retention may begin later.
 */
export async function firstSequenceAt(db: Queryable, bookId: BookId, moment: Instant): Promise<bigint> {
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
