/** Asks a processor what became of an operation, and what card it has made. */
import type { BookId } from '../../ledger/book/book.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Processor } from '../../processors/processor.ts';

export async function inquireProcessor(
  processor: Processor,
  bookId: BookId,
  reference: string,
): ReturnType<Processor['inquire']> {
  failpoint('processor.inquire.before');
  const answer = await processor.inquire(bookId, reference);
  failpoint('processor.inquire.after');
  return answer;
}
