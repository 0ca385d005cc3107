/** Reads events. Their texts are rendered from the stored form (render-event.ts), and no further statement is needed. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../book/book.ts';
import { filledIn } from '../rows/personal-text.ts';
import { loadTexts } from '../rows/personal-text-store.ts';
import type { LedgerEvent } from './event.ts';
import { type KeptEventRow, objectIn, UnreadableEvent, wholePayload } from './render-event.ts';

/** The columns that wholePayload needs, of a row of `events` and of FIRST_EVENT. */
export const KEPT_COLUMNS =
  'book_id, sequence, id, type, object_id, request_id, created_at, payload, text_references, form, first_sequence, first_payload, first_request_id, first_created_at';

/**
 * The first event of the object, of a row of `events` in the same FROM. Index: events_pkey, looked at where the row names one.
 * LIMIT 1 keeps a planner that has seen few events from joining the book's. The object is compared so that an event of
 * another object does not match, and no other index serves it.
 */
export const FIRST_EVENT = `LEFT JOIN LATERAL (
    SELECT payload AS first_payload, request_id AS first_request_id, created_at AS first_created_at FROM events AS begun
    WHERE begun.book_id = events.book_id AND begun.sequence = events.first_sequence
      AND begun.object_id IS NOT DISTINCT FROM events.object_id LIMIT 1) AS first_event ON true`;

/**
 * About what an event in a form shows beside what it keeps, with the object's first event: names of members and the envelope,
 * some 2,000 bytes of a payout. For pages that are bounded in bytes, where metadata is what makes them long.
 */
export const KEPT_BYTES = 'octet_length(payload) + CASE WHEN form IS NULL THEN 0 ELSE 2000 END';

interface EventRow extends KeptEventRow {
  readonly actor: string;
  readonly leaf: Buffer | null;
}

interface EventPage {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly limit: number;
}

/**
 * Events after a sequence, in order. `upTo` is a bound that was read before: rows up to it no longer change. Index:
 * events_pkey. Throws UnreadableEvent for one that is not stored as its form requires.
 */
export function readEvents(db: Queryable, bookId: BookId, page: EventPage): Promise<LedgerEvent[]> {
  return readPage(db, bookId, page, wholePayload);
}

/** The same for verification, which must not stop: an unreadable event gets a body that no event can have. */
export function readEventsAsFound(db: Queryable, bookId: BookId, page: EventPage): Promise<LedgerEvent[]> {
  return readPage(db, bookId, page, foundPayload);
}

function foundPayload(row: KeptEventRow): string {
  try {
    return wholePayload(row);
  } catch (error) {
    if (error instanceof UnreadableEvent) return error.message;
    throw error;
  }
}

async function readPage(
  db: Queryable,
  bookId: BookId,
  { after, upTo, limit }: EventPage,
  payloadOf: typeof wholePayload,
): Promise<LedgerEvent[]> {
  const { rows } = await db.query<EventRow>({
    name: 'events.read',
    text: `SELECT ${KEPT_COLUMNS}, actor, leaf FROM events ${FIRST_EVENT}
      WHERE book_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT $4`,
    values: [bookId, after, upTo, limit],
  });
  return rows.map((row) => ({
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    objectId: row.object_id,
    requestId: row.request_id,
    actor: row.actor,
    createdAt: row.created_at,
    payload: payloadOf(row),
    textReferences: row.text_references,
    leaf: row.leaf,
  }));
}

/**
 * The text of the object that an event announced, filled in. Two queries at most. Index: events_pkey, personal_texts_pkey.
 * Throws UnreadableEvent where there is no such event.
 */
export async function readAnnounced(db: Queryable, bookId: BookId, sequence: bigint): Promise<string> {
  const { rows } = await db.query<KeptEventRow>({
    name: 'events.announced',
    text: `SELECT ${KEPT_COLUMNS} FROM events ${FIRST_EVENT} WHERE book_id = $1 AND sequence = $2`,
    values: [bookId, sequence],
  });
  const [row] = rows;
  if (row === undefined) throw new UnreadableEvent(`There is no event ${sequence} in book ${bookId}`);
  const textReferences = row.text_references;
  const texts = await loadTexts(db, bookId, [{ textReferences }]);
  return filledIn(objectIn(wholePayload(row)), textReferences, texts);
}
