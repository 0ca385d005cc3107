/**
 * Answers without a commit: what commands would decide over the state of their book as it is. Commands that arrive while the rows of
 * others are read are read together, as the committer's are: the questions of a busy book cost a round trip in all, not one each.
 */
import { classifyFailure } from '../../db/postgres-errors.ts';
import type { BookId } from '../book/book.ts';
import type { Command } from '../command/command.ts';
import { type BatchContext, type Decision, previewCommands } from './batch.ts';

interface Asked {
  readonly command: Command<unknown>;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

interface BookPreviews {
  waiting: Asked[];
  /** How many readings are under way. */
  reading: number;
}

/** A reading waits for the database most of its time: a second one uses the processor meanwhile. */
const READINGS_OF_BOOK = 2;
/** Rows of one reading: as many as one command may touch. A command that names more is read by itself. */
const MAX_ROWS = 1_000;

export class Previews {
  readonly #context: BatchContext;
  readonly #books = new Map<BookId, BookPreviews>();

  constructor(context: BatchContext) {
    this.#context = context;
  }

  /** Rejects with the decision's own exception, or with the database's error. */
  preview<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const asked = { command, resolve: resolve as Asked['resolve'], reject };
      const book = this.#books.get(bookId);
      if (book) book.waiting.push(asked);
      else this.#books.set(bookId, { waiting: [asked], reading: 0 });
      // Requests that were read together ask together.
      setImmediate(() => this.#begin(bookId));
    });
  }

  #begin(bookId: BookId): void {
    const book = this.#books.get(bookId);
    if (!book || book.waiting.length === 0 || book.reading === READINGS_OF_BOOK) return;
    const taken = book.waiting.splice(0, countRead(book.waiting));
    book.reading++;
    void this.#read(bookId, taken).finally(() => {
      book.reading--;
      if (book.waiting.length > 0) this.#begin(bookId);
      else if (book.reading === 0) this.#books.delete(bookId);
    });
  }

  /** Never rejects. A command whose rows cannot be read fails alone; without a database, all do. */
  async #read(bookId: BookId, taken: readonly Asked[]): Promise<void> {
    const commands = taken.map(({ command }) => command);
    let decisions: readonly Decision[];
    try {
      decisions = await previewCommands(this.#context, bookId, commands);
    } catch (error) {
      if (taken.length === 1 || classifyFailure(error) === 'transient') for (const asked of taken) asked.reject(error);
      else for (const asked of taken) await this.#read(bookId, [asked]);
      return;
    }
    for (const [at, decision] of decisions.entries())
      if ('error' in decision) taken[at]!.reject(decision.error);
      else taken[at]!.resolve(decision.answer);
  }
}

/** How many of those that wait are read together, the first one always. */
function countRead(waiting: readonly Asked[]): number {
  let rows = 0;
  const beyond = waiting.findIndex(({ command }) => {
    rows += command.touches.reduce((sum, { ids }) => sum + ids.length, 0);
    return rows > MAX_ROWS;
  });
  return beyond === -1 ? waiting.length : Math.max(beyond, 1);
}
