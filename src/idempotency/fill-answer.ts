/** A replayed answer as it was sent first: personal text is filled in, null where it was erased since. */
import type { Queryable } from '../db/pool.ts';
import type { BookId } from '../ledger/book.ts';
import { filledIn } from '../ledger/personal-text.ts';
import { loadTexts } from '../ledger/personal-text-store.ts';
import type { OnceAnswer } from './once.ts';

/** No query where nothing stands apart. */
export async function fillAnswer(db: Queryable, bookId: BookId, answer: OnceAnswer): Promise<OnceAnswer> {
  if (answer.textReferences === null) return answer;
  const texts = await loadTexts(db, bookId, [answer]);
  return { ...answer, body: filledIn(answer.body, answer.textReferences, texts), textReferences: null };
}
