/** Which books have had a single payout to reserve of late, in this process: their batches are made in smaller commands. */

import type { BookId } from '../../ledger/book/book.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Payout } from './payout.ts';

const PRESENT_MS = 2_000;
const BOOKS_KEPT = 10_000;

export class RecentSingles {
  readonly #seenAt = new BoundedMap<BookId, number>(BOOKS_KEPT);

  note(bookId: BookId, payouts: Iterable<Pick<Payout, 'batchId'>>): void {
    for (const { batchId } of payouts) {
      if (batchId !== null) continue;
      this.#seenAt.set(bookId, performance.now());
      return;
    }
  }

  has(bookId: BookId): boolean {
    const seenAt = this.#seenAt.get(bookId);
    return seenAt !== undefined && performance.now() - seenAt < PRESENT_MS;
  }
}
