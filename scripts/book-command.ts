/** What commands share that read one book: exit codes, the book at a day, and where they write. */
import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { dayOf } from '../src/calendar/day.ts';
import type { Pool } from '../src/db/pool.ts';
import { BadInput } from '../src/intake/bad-input.ts';
import type { Book, BookId } from '../src/ledger/book/book.ts';
import { loadBook } from '../src/ledger/book/book-store.ts';
import { finishDay, isFinished } from '../src/ledger/clock/finish-day.ts';
import { momentOf } from '../src/ledger/commit/batch.ts';
import { FigureContradicted } from '../src/reports/figures/figures.ts';
import { isDay } from '../src/reports/figures/place.ts';
import { systemClock } from '../src/values/clock.ts';
import { newId, parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { toJson } from '../src/values/json.ts';
import { databaseFailure } from './database-failure.ts';
import { withCommitter } from './intake-command.ts';

export const CLEAN = 0;
/** The figures contradict the journal. */
const FOUND = 1;
export const BAD_INPUT = 2;
const COULD_NOT_RUN = 3;

/** Sets the exit code. `verb`: what could not be done. */
export async function runReading(
  work: () => Promise<void>,
  { json, verb }: { json: true | undefined; verb: string },
): Promise<void> {
  const fail = (code: number, error: string) => {
    if (json) console.log(toJson({ ok: false, error }));
    console.error(code === COULD_NOT_RUN ? `Could not ${verb}: ${error}` : error);
    process.exitCode = code;
  };
  try {
    await work();
    process.exitCode = CLEAN;
  } catch (error) {
    if (error instanceof BadInput) fail(BAD_INPUT, error.message);
    else if (error instanceof FigureContradicted) fail(FOUND, error.message);
    else fail(COULD_NOT_RUN, databaseFailure(error));
  }
}

export function parseBook(text: string): Uuid {
  const id = parsePublicId('book', text);
  if (id === undefined) throw new InvalidArgumentError('It is the id of a book: book_…');
  return id;
}

export function parseDay(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError(`${text} is no day of the calendar: YYYY-MM-DD.`);
  return text;
}

export function parseSequence(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('It is the sequence of an entry.');
  return BigInt(text);
}

/**
 * The book once the day is finished: what is posted afterwards is dated behind it. A day that is not over yet is read as it is now. Throws
 * BadInput for a day that has not begun, and for a book that there is not.
 */
export async function bookAtDay(pool: Pool, bookId: BookId, day: string, option: string): Promise<Book> {
  const book = await loadBook(pool, bookId);
  if (!book) throw new BadInput(null, `There is no book ${publicId('book', bookId)} here.`);
  const today = dayOf(momentOf(systemClock, book).book, book.timeZone);
  if (day > today)
    throw new BadInput(null, `${option} is ${day}, and today is ${today}: expects a day that has begun.`);
  if (day === today || isFinished(day, book)) return book;
  await withCommitter(pool, (committer) => committer.submit(bookId, finishDay({ day, requestId: newId() })));
  return (await loadBook(pool, bookId))!;
}

/** The entries that count. Throws BadInput for one that is not there yet. */
export function throughOf(book: Book, asked: bigint | undefined): bigint {
  if (asked !== undefined && asked > book.entrySequence)
    throw new BadInput(
      null,
      `--through-sequence is ${asked}, and the last entry of the book is ${book.entrySequence}.`,
    );
  return asked ?? book.entrySequence;
}

type Push = (piece: Buffer | string) => Promise<void>;

/** Writes to a file, which is there once all of it is, or to standard output. */
export async function writeTo<Result>(
  file: string | undefined,
  work: (push: Push) => Promise<Result>,
): Promise<Result> {
  if (file === undefined) return work(toStandardOutput);
  const part = `${file}.part`;
  const handle = await open(part, 'w').catch((error: Error) => {
    throw new BadInput(null, `The file cannot be written: ${error.message}.`);
  });
  try {
    const result = await work(async (piece) => void (await handle.writeFile(piece)));
    await handle.sync();
    await handle.close();
    await rename(part, file);
    return result;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}

let isWatched = false;

/** Whoever reads it may have enough, as `head` has: then the command ends without a word. */
function endWithReader(): void {
  if (isWatched) return;
  isWatched = true;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(CLEAN);
  });
}

const toStandardOutput: Push = async (piece) => {
  endWithReader();
  if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
};
