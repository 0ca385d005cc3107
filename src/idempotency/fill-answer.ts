/** An answer as it is sent. Into a replayed one personal text is filled, null where it was erased since. */
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
import { filledIn } from '../ledger/personal-text.ts';
import { loadTexts } from '../ledger/personal-text-store.ts';
import type { KeptAnswer, OnceAnswer } from './once.ts';

/** No query where nothing stands apart. */
export async function fillAnswer(db: Queryable, bookId: BookId, answer: KeptAnswer): Promise<OnceAnswer> {
  const { textReferences } = answer;
  if (textReferences === null) return sentAnswer(answer, answer.body);
  return sentAnswer(answer, filledIn(answer.body, textReferences, await loadTexts(db, bookId, [answer])));
}

/** Written out, without a spread: objects built by a spread have hidden classes of their own and are slow to read. */
function sentAnswer({ status, resource, resourceId, replayed }: KeptAnswer, body: string): OnceAnswer {
  return { status, body, resource, resourceId, replayed };
}
