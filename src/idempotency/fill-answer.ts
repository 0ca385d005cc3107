/** An answer as it is sent. Personal text is filled into a replayed one, null where it was erased since. */
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book/book.ts';
import { readAnnounced } from '../ledger/events/event-read-store.ts';
import { filledIn } from '../ledger/rows/personal-text.ts';
import { loadTexts } from '../ledger/rows/personal-text-store.ts';
import { referredEvent } from './event-answer.ts';
import type { KeptAnswer, OnceAnswer } from './once.ts';

/** No query for a first answer, and for a stored body without text apart. */
export async function fillAnswer(db: Queryable, bookId: BookId, answer: KeptAnswer): Promise<OnceAnswer> {
  const { textReferences } = answer;
  const sequence = answer.replayed ? referredEvent(answer.body) : undefined;
  if (sequence !== undefined) return sentAnswer(answer, await readAnnounced(db, bookId, sequence));
  if (textReferences === null) return sentAnswer(answer, answer.body);
  return sentAnswer(answer, filledIn(answer.body, textReferences, await loadTexts(db, bookId, [answer])));
}

/** Written out, without a spread: objects built by a spread have hidden classes of their own and are slow to read. */
function sentAnswer({ status, resource, resourceId, replayed }: KeptAnswer, body: string): OnceAnswer {
  return { status, body, resource, resourceId, replayed };
}
