/**
 * Natural batching over books: waiting rows of any number of books form one batch, and rows that arrive while it runs
 * form the next. There is no timer: a single row runs at once. One batch runs at a time, so that batches grow with the
 * whole load and not with each book. If a batch is slow, the next one begins beside it, without its books.
 *
 * Books are served in turn: each gives one row until the batch is full. However many rows one book has, another book's
 * row waits for one batch. A book that fails or is slow does not affect the others: a batch that fails is split, and a
 * book that was slow by itself is isolated until it no longer is slow.
 */

export interface OfBook<Row> {
  readonly bookId: string;
  readonly row: Row;
}

export interface BooksBatchOptions<Row, Answer> {
  /** The most rows in one batch. */
  limit: number;
  /** One answer for each row, in their order. Rows of one book are adjacent. */
  run(rows: readonly OfBook<Row>[]): Promise<readonly Answer[]>;
  /** Does the work when it is the turn of the book, or of several books (undefined). Only then is the batch taken. */
  inTurn(bookId: string | undefined, work: () => Promise<void>): Promise<void>;
  /**
   * How a failed batch of several books is split: into halves, to find the book that is refused, or at once by book, because
   * one book blocks the others. Undefined: every row fails with the error, as in a batch of one book.
   */
  split(error: unknown): 'halves' | 'books' | undefined;
  /** After so many milliseconds a batch is slow. The default is SLOW_MS. */
  slowMs?: number;
}

/** Equal to the lock timeout of a statement about several books. */
const SLOW_MS = 200;

interface Waiting<Row, Answer> extends OfBook<Row> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class BooksBatch<Row, Answer> {
  readonly #options: BooksBatchOptions<Row, Answer>;
  readonly #slowMs: number;
  /** Waiting rows by book. The book whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiting<Row, Answer>[]>();
  readonly #running = new Set<string>();
  /** Books whose last batch of their own was slow. */
  readonly #slow = new Set<string>();
  #sharing = false;

  constructor(options: BooksBatchOptions<Row, Answer>) {
    this.#options = options;
    this.#slowMs = options.slowMs ?? SLOW_MS;
  }

  add(bookId: string, row: Row): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const waiting = { bookId, row, resolve, reject };
      const ofBook = this.#waiting.get(bookId);
      if (ofBook) ofBook.push(waiting);
      else this.#waiting.set(bookId, [waiting]);
      this.#wake(bookId);
    });
  }

  /** Ensures that the waiting rows of a book are taken. */
  #wake(bookId: string): void {
    // Woken again when it ends.
    if (this.#running.has(bookId)) return;
    if (this.#slow.has(bookId)) {
      this.#running.add(bookId);
      void this.#runIsolated(bookId, () => this.#takeOf(bookId, this.#options.limit));
    } else if (!this.#sharing) {
      this.#sharing = true;
      void this.#share();
    }
  }

  async #share(): Promise<void> {
    // One turn of the event loop: rows added in the same turn go in one batch.
    await new Promise(setImmediate);
    while (this.#sharers().length > 0) await this.#runShared();
    this.#sharing = false;
  }

  /** Resolves when the batch has ended, or is slow: rows of other books do not wait for it longer. */
  #runShared(): Promise<void> {
    return new Promise((resolve) => {
      const run = async () => {
        const slow = setTimeout(resolve, this.#slowMs);
        for (const bookId of await this.#run(this.#take())) this.#end(bookId);
        clearTimeout(slow);
      };
      void this.#options.inTurn(undefined, run).then(resolve);
    });
  }

  #sharers(): string[] {
    return [...this.#waiting.keys()].filter((bookId) => !this.#running.has(bookId) && !this.#slow.has(bookId));
  }

  /** A row of each book, and again, until the batch is full. */
  #take(): Waiting<Row, Answer>[] {
    const rowsOf = new Map<string, number>();
    let room = this.#options.limit;
    let books = this.#sharers();
    for (let round = 1; room > 0 && books.length > 0; round++) {
      for (const bookId of books.slice(0, room)) rowsOf.set(bookId, round);
      room -= Math.min(books.length, room);
      books = books.filter((bookId) => this.#waiting.get(bookId)!.length > round);
    }
    return [...rowsOf].flatMap(([bookId, rows]) => this.#takeOf(bookId, rows));
  }

  #takeOf(bookId: string, rows: number): Waiting<Row, Answer>[] {
    const ofBook = this.#waiting.get(bookId) ?? [];
    const taken = ofBook.splice(0, rows);
    // Behind all other books.
    this.#waiting.delete(bookId);
    if (ofBook.length > 0) this.#waiting.set(bookId, ofBook);
    return taken;
  }

  /**
   * Resolves or rejects every row, and never rejects itself. Resolves to the books whose batch has ended; the others go
   * by themselves.
   */
  async #run(batch: readonly Waiting<Row, Answer>[]): Promise<string[]> {
    const books = [...new Set(batch.map(({ bookId }) => bookId))];
    for (const bookId of books) this.#running.add(bookId);
    const begun = performance.now();
    try {
      const answers = await this.#options.run(batch);
      for (let index = 0; index < batch.length; index++) batch[index]!.resolve(answers[index]!);
    } catch (error) {
      const split = books.length > 1 ? this.#options.split(error) : undefined;
      if (split === 'books') {
        for (const bookId of books)
          void this.#runIsolated(bookId, () => batch.filter((waiting) => waiting.bookId === bookId));
        return [];
      }
      if (split === 'halves') {
        const first = new Set(books.slice(0, books.length >> 1));
        const ended = await this.#run(batch.filter(({ bookId }) => first.has(bookId)));
        return ended.concat(await this.#run(batch.filter(({ bookId }) => !first.has(bookId))));
      }
      for (const { reject } of batch) reject(error);
    }
    if (books.length === 1) {
      if (performance.now() - begun < this.#slowMs) this.#slow.delete(books[0]!);
      else this.#slow.add(books[0]!);
    }
    return books;
  }

  /** A batch of one book, which is marked as running, at the book's own turn. */
  async #runIsolated(bookId: string, take: () => readonly Waiting<Row, Answer>[]): Promise<void> {
    await new Promise(setImmediate);
    await this.#options.inTurn(bookId, async () => {
      await this.#run(take());
    });
    this.#end(bookId);
  }

  #end(bookId: string): void {
    this.#running.delete(bookId);
    if (this.#waiting.has(bookId)) this.#wake(bookId);
  }
}
