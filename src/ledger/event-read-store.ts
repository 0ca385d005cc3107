import type { Instant } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import type { BookId } from './book.ts';
import type { LedgerEvent } from './event.ts';

interface EventRow {
  sequence: bigint;
  id: string;
  type: string;
  object_id: string;
  request_id: string;
  actor: string;
  created_at: Instant;
  payload: string;
  text_references: string | null;
  leaf: Buffer | null;
}

/**
 * Events after a sequence, in order. `upTo` is a bound that was read before: rows up to it no longer change. Index:
 * events_pkey.
 */
export async function readEvents(
  db: Queryable,
  bookId: BookId,
  page: { after: bigint; upTo: bigint; limit: number },
): Promise<LedgerEvent[]> {
  const { rows } = await db.query<EventRow>({
    name: 'events.read',
    text: `SELECT sequence, id, type, object_id, request_id, actor, created_at, payload, text_references, leaf FROM events
      WHERE book_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT $4`,
    values: [bookId, page.after, page.upTo, page.limit],
  });
  return rows.map((row) => ({
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    objectId: row.object_id,
    requestId: row.request_id,
    actor: row.actor,
    createdAt: row.created_at,
    payload: row.payload,
    textReferences: row.text_references,
    leaf: row.leaf,
  }));
}
