/**
 * Two ideas decide who waits for whom. The fair semaphore divides a number of places among books, and serves those that wait in
 * turn. It has three forms, because their callers differ:
 * - Room (here): callers wait, with any number of rows. A book takes no more than it leaves free.
 * - Slots (slots.ts): the same limit, for callers that go on instead of waiting and are called again. It guarantees each book a few
 *   slots even when none is free, because an attempt at a silent receiver keeps its slot for long.
 * - Turns (turns.ts): a fixed limit for each caller, and bounds for how many of its requests wait and for how long. A caller keeps
 *   its turn while it has a place; in a Room it has one only while it waits.
 * The fair batch joins what waits in one statement, without a timer:
 * - NaturalBatch (natural-batch.ts): one batch at a time for each key.
 * - BooksBatch (books-batch.ts): one batch at a time for all books, filled with a row of each in turn, and split when it fails.
 * The committer has batches of its own (ledger/commit). Inboxes of notices do not wait at all (outside/notices/inbox-turns.ts).
 */

/**
 * Room divided among books: for the rows that a pool has in progress, or for calls in progress to an external party. A
 * job for which there is no room waits, and books enter in turn. No book takes more than it leaves free for the others.
 * So a single busy book gets half of the room, and a quiet book enters at once, however many jobs of busy books came
 * before.
 */
export class Room {
  readonly #size: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
  /** The waiting jobs by book; the book whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Resolves once there is room for all rows. More than the whole room takes all of it. Undone by leave(). */
  enter(bookId: string, rows: number): Promise<void> {
    return new Promise((resolve) => this.#queue(bookId, { rows: this.#counted(rows), enter: resolve }));
  }

  /** Resolves to true once there is room for one row, and to false once the limit has passed: then the row is not in it. */
  enterWithin(bookId: string, limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter = {
        rows: 1,
        enter: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        this.#withdraw(bookId, waiter);
        resolve(false);
      }, limitMs);
      this.#queue(bookId, waiter);
    });
  }

  /** Whether one more row of the book enters at once. For a room whose jobs have one row each: a larger job could be before it. */
  hasRoom(bookId: string): boolean {
    return !this.#waiting.has(bookId) && (this.#takenBy.get(bookId) ?? 0) + 1 <= this.#size - this.#taken;
  }

  /** Nothing is in it, and nothing waits. */
  get isEmpty(): boolean {
    return this.#taken === 0 && this.#waiting.size === 0;
  }

  leave(bookId: string, rows: number): void {
    const counted = this.#counted(rows);
    const left = (this.#takenBy.get(bookId) ?? 0) - counted;
    this.#taken -= counted;
    if (left > 0) this.#takenBy.set(bookId, left);
    else this.#takenBy.delete(bookId);
    this.#admit();
  }

  /** Does the work once there is room for one row. */
  async run<Result>(bookId: string, work: () => Promise<Result>): Promise<Result> {
    await this.enter(bookId, 1);
    try {
      return await work();
    } finally {
      this.leave(bookId, 1);
    }
  }

  #queue(bookId: string, waiter: Waiter): void {
    const ofBook = this.#waiting.get(bookId);
    if (ofBook) ofBook.push(waiter);
    else this.#waiting.set(bookId, [waiter]);
    this.#admit();
  }

  /** The others of its book keep its turn. */
  #withdraw(bookId: string, waiter: Waiter): void {
    const ofBook = this.#waiting.get(bookId)!;
    ofBook.splice(ofBook.indexOf(waiter), 1);
    if (ofBook.length === 0) this.#waiting.delete(bookId);
  }

  #admit(): void {
    for (const [bookId, ofBook] of this.#waiting) {
      const { rows, enter } = ofBook[0]!;
      const free = this.#size - this.#taken;
      // A small job does not overtake a large one whose turn it is: otherwise large jobs would wait for ever.
      if (rows > free) return;
      const ofBookTaken = (this.#takenBy.get(bookId) ?? 0) + rows;
      if (ofBookTaken > free) continue;
      this.#taken += rows;
      this.#takenBy.set(bookId, ofBookTaken);
      ofBook.shift();
      // Behind all other books, where this loop meets the book again.
      this.#waiting.delete(bookId);
      if (ofBook.length > 0) this.#waiting.set(bookId, ofBook);
      enter();
    }
  }

  #counted(rows: number): number {
    return Math.min(rows, this.#size);
  }
}

interface Waiter {
  readonly rows: number;
  readonly enter: () => void;
}
