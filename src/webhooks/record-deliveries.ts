/**
 * Records what became of deliveries, as it happens and yet in few commits: results that come in while the last ones are
 * being written go together in the next statement.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../db/pool.ts';
import { classifyFailure } from '../db/postgres-errors.ts';
import { failpoint } from '../failpoints.ts';
import type { BookId } from '../ledger/book.ts';
import { NaturalBatch } from '../natural-batch.ts';
import type { Room } from '../room.ts';
import type { DeliveryResult } from './delivery.ts';
import { recordResults } from './delivery-store.ts';

/** Resolves when the result is committed: with undefined, or with why the database will never take it. */
export type RecordDelivery = (bookId: BookId, result: DeliveryResult) => Promise<unknown>;

const BATCH_MAX = 500;
/** A result is worth waiting some seconds for the database: without it the event is sent again. */
const TRIES = 6;
const FIRST_RETRY_MS = 100;

/** `statements` says when it is a book's turn. */
export function createRecorder(pool: Pool, statements: Room): RecordDelivery {
  const batches = new NaturalBatch<DeliveryResult, unknown>({
    limit: BATCH_MAX,
    run: (bookId, results) => recordOrIsolate(pool, bookId, results),
    inTurn: (bookId, work) => statements.run(bookId, work),
  });
  return (bookId, result) => batches.add(bookId, result);
}

/** A result that the database refuses is found by halving, and does not keep the others from being recorded. */
async function recordOrIsolate(pool: Pool, bookId: BookId, results: readonly DeliveryResult[]): Promise<unknown[]> {
  try {
    await recordWithPatience(pool, bookId, results);
    return results.map(() => undefined);
  } catch (error) {
    if (classifyFailure(error) !== 'refused') throw error;
    if (results.length === 1) return [error];
    const middle = results.length >> 1;
    const before = await recordOrIsolate(pool, bookId, results.slice(0, middle));
    return before.concat(await recordOrIsolate(pool, bookId, results.slice(middle)));
  }
}

/** A deadlock with the sweeper, or a database that is away for a moment, is no reason to send an event again. */
async function recordWithPatience(pool: Pool, bookId: BookId, results: readonly DeliveryResult[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      failpoint('delivery.record.before');
      await recordResults(pool, bookId, results);
      failpoint('delivery.record.after');
      return;
    } catch (error) {
      if (attempt === TRIES || classifyFailure(error) !== 'transient') throw error;
      await delay(FIRST_RETRY_MS * 2 ** (attempt - 1));
    }
  }
}
