/** Events as the committer wrote them, as rows that a reader of the table gets. */
import type { BookId } from '../../src/ledger/book/book.ts';
import type { KeptEvent } from '../../src/ledger/events/event.ts';
import type { KeptEventRow } from '../../src/ledger/events/render-event.ts';

export function keptRows(bookId: BookId, events: readonly KeptEvent[]): KeptEventRow[] {
  const bySequence = new Map(events.map((event) => [event.sequence, event]));
  return events.map((event) => {
    const first = event.firstSequence === null ? undefined : bySequence.get(event.firstSequence);
    return {
      book_id: bookId,
      sequence: event.sequence,
      id: event.id,
      type: event.type,
      object_id: event.objectId,
      request_id: event.requestId,
      created_at: event.createdAt,
      payload: event.payload,
      text_references: event.textReferences,
      form: event.form,
      first_sequence: event.firstSequence,
      first_payload: first?.payload ?? null,
      first_request_id: first?.requestId ?? null,
      first_created_at: first?.createdAt ?? null,
    };
  });
}
