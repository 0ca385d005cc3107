/** Books a file in every book that it is about, a part a book. Killed anywhere and run again, it goes on where it was. */
import type { BookId } from '../ledger/book/book.ts';
import { publicId } from '../values/ids.ts';

/** What one book gets of a file. */
interface FilePart {
  readonly ofBook: BookId;
  readonly lines: number;
}

/** `part`: how many of its lines were taken by now. */
type OnTaken = (part: { readonly taken: number }) => void;

/** Of the failures of a file, so many are reported: a database that is gone fails every book in the same way. */
const FAILURES_KEPT = 10;

/**
 * `onTaken` is called with how many lines of the file were taken by now, and how many it has. A book that fails does not keep the others
 * from their lines: its error is thrown at the end (AggregateError where there are several), and the same file again books what is left.
 */
export async function bookParts<Part extends FilePart, Booked>(
  parts: readonly Part[],
  { lines, onTaken }: { readonly lines: number; readonly onTaken: (taken: number, lines: number) => void },
  bookPart: (part: Part, onTaken: OnTaken) => Promise<Booked>,
): Promise<Booked[]> {
  const booked: Booked[] = [];
  const failures: Error[] = [];
  let before = 0;
  for (const part of parts) {
    try {
      booked.push(await bookPart(part, ({ taken }) => onTaken(before + taken, lines)));
    } catch (error) {
      if (failures.length < FAILURES_KEPT) failures.push(failureOf(part, error));
    }
    before += part.lines;
  }
  if (failures.length > 1) throw new AggregateError(failures, failures.map(({ message }) => message).join(' '));
  if (failures.length === 1) throw failures[0];
  return booked;
}

/** Names the book. */
function failureOf({ ofBook }: FilePart, cause: unknown): Error {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${publicId('book', ofBook)}: ${message}`, { cause });
}
