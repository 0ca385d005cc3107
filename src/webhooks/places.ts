/**
 * Places of this process, shared among books: for attempts under way, and for deliveries that wait in memory. A book
 * may take another place while it has fewer than are free. So one book alone gets half of the places, and n busy books
 * get equal parts (dynamic thresholds: Choudhury and Hahne, 1998). An early book keeps its larger part until it gives
 * places back, which takes 15 s with silent receivers. So each book is assured of a few places, even when none is free.
 */
export class Places {
  readonly #size: number;
  readonly #assured: number;
  #taken = 0;
  readonly #ofBook = new Map<string, number>();
  /** The callbacks that wait, by book. The book whose turn it is comes first. */
  readonly #refused = new Map<string, Set<() => void>>();

  /** `assured` places of each book may go beyond `size`, up to twice `size` in all. */
  constructor(size: number, { assured }: { assured: number }) {
    this.#size = size;
    this.#assured = assured;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a place, which leave() gives back. Without a free place, `again` is called once when one may be free, unless
   * it got a place before. A function waits once, however often it is refused.
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
      // The book goes behind all others.
      this.#refused.delete(book);
      if (refused.size > 0) this.#refused.set(book, refused);
      next!();
    }
  }
}
