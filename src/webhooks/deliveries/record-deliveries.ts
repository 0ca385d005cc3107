/**
 * Records the results of deliveries at once, and yet in few commits: results of any number of books that arrive while a batch
 * is being written form the next batch.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../../db/pool.ts';
import { classifyFailure, obstacleOf } from '../../db/postgres-errors.ts';
import { BooksBatch } from '../../fairness/books-batch.ts';
import type { Room } from '../../fairness/room.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { BookRow } from '../../ledger/rows/table.ts';
import { failpoint } from '../../process/failpoints.ts';
import { batchTurns, bookOf } from './batches-of-books.ts';
import type { DeliveryResult } from './delivery.ts';
import { recordResultsOfBooks } from './delivery-pairs-store.ts';
import { recordResults } from './delivery-store.ts';

/** Resolves with undefined once the result is committed, or with the reason why Postgres refuses it for good. */
export type RecordDelivery = (bookId: BookId, result: DeliveryResult) => Promise<unknown>;

const BATCH_MAX = 500;
/** Recording is retried for some seconds: without its result the event is sent again. */
const TRIES = 6;
const FIRST_RETRY_MS = 100;

export function createRecorder(pool: Pool, statements: Room, slowMs?: number): RecordDelivery {
  const batches = new BooksBatch<DeliveryResult, unknown>({
    limit: BATCH_MAX,
    run: (results) => recordOrIsolate(pool, results),
    split(error) {
      if (obstacleOf(error)) return 'books';
      return classifyFailure(error) === 'refused' ? 'halves' : undefined;
    },
    ...batchTurns(statements, slowMs),
  });
  return (bookId, result) => batches.add(bookId, result);
}

/**
 * A result that the database refuses is found by halving, and does not prevent the others from being recorded: first
 * its book (by the batch), then the result.
 */
async function recordOrIsolate(pool: Pool, results: readonly BookRow<DeliveryResult>[]): Promise<unknown[]> {
  try {
    await recordWithPatience(pool, results);
    return results.map(() => undefined);
  } catch (error) {
    if (bookOf(results) === undefined || classifyFailure(error) !== 'refused') throw error;
    if (results.length === 1) return [error];
    const middle = results.length >> 1;
    const before = await recordOrIsolate(pool, results.slice(0, middle));
    return before.concat(await recordOrIsolate(pool, results.slice(middle)));
  }
}

/**
 * A deadlock with the sweeper, or a database that is away for a moment, is no reason to send an event again. Several books
 * do not wait for a row of one of them: each goes by itself.
 */
async function recordWithPatience(pool: Pool, results: readonly BookRow<DeliveryResult>[]): Promise<void> {
  const bookId = bookOf(results);
  for (let attempt = 1; ; attempt++) {
    try {
      failpoint('delivery.record.before');
      if (bookId === undefined) await recordResultsOfBooks(pool, results);
      else
        await recordResults(
          pool,
          bookId,
          results.map(({ row }) => row),
        );
      failpoint('delivery.record.after');
      return;
    } catch (error) {
      if (attempt === TRIES || classifyFailure(error) !== 'transient') throw error;
      if (bookId === undefined && obstacleOf(error)) throw error;
      await delay(FIRST_RETRY_MS * 2 ** (attempt - 1));
    }
  }
}
