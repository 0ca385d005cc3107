/**
 * Slots of this process, divided among books: for attempts in progress, and for deliveries that wait in memory. A book
 * may take another slot while it has fewer than are free. So a single book gets half of the slots, and n busy books get
 * equal parts (dynamic thresholds: Choudhury and Hahne, 1998). The first busy book keeps its larger part until it frees
 * slots, which takes 15 s with silent receivers. So a few slots are guaranteed to each book, even when none is free.
 * Other forms: room.ts.
 */
export class Slots {
  readonly #size: number;
  readonly #guaranteed: number;
  #taken = 0;
  readonly #ofBook = new Map<string, number>();
  /** Callbacks of callers that were refused, by book. The book whose turn it is comes first. */
  readonly #refused = new Map<string, Set<() => void>>();

  /** `guaranteed` slots of each book may go beyond `size`, up to twice `size` in all. */
  constructor(size: number, { guaranteed }: { guaranteed: number }) {
    this.#size = size;
    this.#guaranteed = guaranteed;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a slot; giveBack() frees it. If none is free, `again` is called once when one may be, unless the caller has
   * got a slot before that. A function is called once, however often it was refused.
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

  /** Resolves once a slot was taken. */
  free(book: string): Promise<void> {
    return new Promise((resolve) => {
      const again = () => {
        if (this.take(book, again)) resolve();
      };
      again();
    });
  }

  giveBack(book: string): void {
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
    return own < this.#size - this.#taken || (own < this.#guaranteed && this.#taken < 2 * this.#size);
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
