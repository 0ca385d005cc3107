/**
 * Room that books share: for the rows that a pool has in hand, for the calls that are under way to a party outside. A job
 * that finds no room waits, and books are let in by turns; no book takes more than is left free for the others. So a busy
 * book alone has half of the room, and a quiet one is let in at once, however many jobs of busy ones came before it.
 */
export class Room {
  readonly #size: number;
  #taken = 0;
  readonly #takenBy = new Map<string, number>();
  /** Who waits, by book; the book whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(size: number) {
    this.#size = size;
  }

  /** Resolves when there is room for them all; more than the room holds have it to themselves. Give back with leave(). */
  enter(bookId: string, rows: number): Promise<void> {
    return new Promise((resolve) => {
      const waiter = { rows: this.#counted(rows), enter: resolve };
      const ofBook = this.#waiting.get(bookId);
      if (ofBook) ofBook.push(waiter);
      else this.#waiting.set(bookId, [waiter]);
      this.#admit();
    });
  }

  leave(bookId: string, rows: number): void {
    const counted = this.#counted(rows);
    const left = (this.#takenBy.get(bookId) ?? 0) - counted;
    this.#taken -= counted;
    if (left > 0) this.#takenBy.set(bookId, left);
    else this.#takenBy.delete(bookId);
    this.#admit();
  }

  /** Works when there is room for one row. */
  async run<Result>(bookId: string, work: () => Promise<Result>): Promise<Result> {
    await this.enter(bookId, 1);
    try {
      return await work();
    } finally {
      this.leave(bookId, 1);
    }
  }

  #admit(): void {
    for (const [bookId, ofBook] of this.#waiting) {
      const { rows, enter } = ofBook[0]!;
      const free = this.#size - this.#taken;
      // Nobody small overtakes somebody large whose turn it is: otherwise large jobs would wait for ever.
      if (rows > free) return;
      const ofBookTaken = (this.#takenBy.get(bookId) ?? 0) + rows;
      if (ofBookTaken > free) continue;
      this.#taken += rows;
      this.#takenBy.set(bookId, ofBookTaken);
      ofBook.shift();
      // Behind all other books, where the iteration comes to it again.
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
