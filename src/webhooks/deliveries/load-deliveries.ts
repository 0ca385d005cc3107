/**
 * Loads deliveries that jobs name, with everything that an attempt needs. Concurrent loads of any number of books share
 * a query.
 */

import type { Pool } from '../../db/pool.ts';
import { classifyFailure } from '../../db/postgres-errors.ts';
import { BooksBatch } from '../../fairness/books-batch.ts';
import type { Room } from '../../fairness/room.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { type BookRow, pairKey } from '../../ledger/rows/table.ts';
import { batchTurns, bookOf } from './batches-of-books.ts';
import { type DeliveryInHand, type DeliveryKey, deliveryId } from './delivery.ts';
import { loadPendingOfBooks } from './delivery-pairs-store.ts';
import { loadPendingDeliveries } from './delivery-store.ts';

/** Resolves with undefined for a delivery that is final, stuck or unknown. Rejects with the errors of the query. */
export type LoadDelivery = (bookId: BookId, key: DeliveryKey) => Promise<DeliveryInHand | undefined>;

/** Rows in one query: several full jobs. */
const BATCH_MAX = 500;

export function createLoader(pool: Pool, statements: Room, slowMs?: number): LoadDelivery {
  const batches = new BooksBatch<DeliveryKey, DeliveryInHand | undefined>({
    limit: BATCH_MAX,
    run: (keys) => load(pool, keys),
    // Postgres refuses a key of one book. No load waits for a lock.
    split: (error) => (classifyFailure(error) === 'refused' ? 'halves' : undefined),
    ...batchTurns(statements, slowMs),
  });
  return (bookId, key) => batches.add(bookId, key);
}

async function load(pool: Pool, keys: readonly BookRow<DeliveryKey>[]): Promise<(DeliveryInHand | undefined)[]> {
  const bookId = bookOf(keys);
  const found = new Map<string, DeliveryInHand>();
  if (bookId === undefined) {
    for (const { bookId: ofBook, row } of await loadPendingOfBooks(pool, keys))
      found.set(pairKey(ofBook, deliveryId(row)), row);
  } else {
    const pending = await loadPendingDeliveries(
      pool,
      bookId,
      keys.map(({ row }) => row),
    );
    for (const row of pending) found.set(pairKey(bookId, deliveryId(row)), row);
  }
  return keys.map(({ bookId: ofBook, row }) => found.get(pairKey(ofBook, deliveryId(row))));
}
