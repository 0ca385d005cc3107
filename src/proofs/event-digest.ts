/**
 * What the tree of events is made of: SHA-256 over the canonical JSON (RFC 8785) of a row, every column of it, the number as
 * a string. Events carry no hash of their own, since hashing each one's two kilobytes would cost the commit that writes it.
 */
import { hash } from 'node:crypto';
import { formatInstant } from '../clock.ts';
import type { BookId } from '../ledger/book.ts';
import type { LedgerEvent } from '../ledger/event.ts';

export function eventDigest(bookId: BookId, event: LedgerEvent): Buffer {
  return hash('sha256', eventText(bookId, event), 'buffer');
}

/** Keys stand sorted here, and JSON.stringify writes strings as RFC 8785 asks. */
export function eventText(bookId: BookId, event: LedgerEvent): string {
  return JSON.stringify({
    actor: event.actor,
    book_id: bookId,
    created_at: formatInstant(event.createdAt),
    id: event.id,
    object_id: event.objectId,
    payload: event.payload,
    request_id: event.requestId,
    sequence: `${event.sequence}`,
    type: event.type,
  });
}
