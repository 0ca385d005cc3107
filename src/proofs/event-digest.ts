/**
 * The leaf of an event: SHA-256 over the canonical JSON (RFC 8785) of its row, with every column, the sequence number
 * as a string. Personal text is covered through its references (ledger/rows/personal-text.ts). An event whose readable payload
 * was erased keeps the leaf of before. Other events store no hash of their own: hashing two kilobytes per event would slow the commit that writes it.
 */
import { hash } from 'node:crypto';
import type { BookId } from '../ledger/book/book.ts';
import type { LedgerEvent } from '../ledger/events/event.ts';
import { formatInstant } from '../values/clock.ts';

export function eventDigest(bookId: BookId, event: LedgerEvent): Buffer {
  return event.leaf ?? hash('sha256', eventText(bookId, event), 'buffer');
}

/** The keys are written in sorted order, and JSON.stringify writes strings as RFC 8785 requires. */
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
    ...(event.textReferences === null ? {} : { text_references: event.textReferences }),
    type: event.type,
  });
}
