/**
 * Places of this process, shared among books: for attempts under way, and for deliveries that wait in memory. A book may
 * take another place while it has fewer than are free. So one book alone has half of them, and n busy books have an equal part
 * each (dynamic thresholds: Choudhury and Hahne, 1998). Who came first keeps more until it gives back, which silent receivers do
 * after 15 s: each book is therefore assured of a few, taken or not.
 */
export class Places {
  readonly #size: number;
  readonly #assured: number;
  #taken = 0;
  readonly #ofBook = new Map<string, number>();
  /** Who was refused, by book; the book whose turn it is comes first. */
  readonly #refused = new Map<string, Set<() => void>>();

  /** With `assured` for each book, they can be more than `size`: by that for each book, twice as many in all at most. */
  constructor(size: number, { assured }: { assured: number }) {
    this.#size = size;
    this.#assured = assured;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a place, which leave() gives back. Where there is none, `again` is called once when there may be one, unless it
   * has got one before; the same function waits once, however often it is refused.
   */
  take(book: string, again?: () => void): boolean {
    if (this.#isOpen(book)) {
      if (again && this.#refused.size > 0) this.#forget(book, again);
      this.#taken += 1;
      this.#ofBook.set(book, (this.#ofBook.get(book) ?? 0) + 1);
      return true;
    }
    if (again) {
      const refused = this.#refused.get(book);
      if (refused) refused.add(again);
      else this.#refused.set(book, new Set([again]));
    }
    return false;
  }

  leave(book: string): void {
    this.#taken -= 1;
    const left = this.#ofBook.get(book)! - 1;
    if (left === 0) this.#ofBook.delete(book);
    else this.#ofBook.set(book, left);
    if (this.#refused.size > 0) this.#callRefused();
  }

  #forget(book: string, again: () => void): void {
    const refused = this.#refused.get(book);
    if (refused?.delete(again) && refused.size === 0) this.#refused.delete(book);
  }

  #isOpen(book: string): boolean {
    const own = this.#ofBook.get(book) ?? 0;
    return own < this.#size - this.#taken || (own < this.#assured && this.#taken < 2 * this.#size);
  }

  #callRefused(): void {
    for (const book of [...this.#refused.keys()]) {
      if (this.#taken >= 2 * this.#size) return;
      if (!this.#isOpen(book)) continue;
      const refused = this.#refused.get(book);
      if (!refused) continue;
      const [next] = refused;
      refused.delete(next!);
      // Behind all others.
      this.#refused.delete(book);
      if (refused.size > 0) this.#refused.set(book, refused);
      next!();
    }
  }
}
