/** Metrics of the committer's batches. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ObservedBatch } from '../ledger/commit/batch.ts';
import type { DissolveReason } from '../ledger/commit/shared-committer.ts';
import { SECONDS } from './metric-buckets.ts';

export interface BatchMetrics {
  /** One commit of the committer. */
  observeBatch(batch: ObservedBatch): void;
  /** A shared batch was dissolved: each of its books is committed separately. */
  batchDissolved(reason: DissolveReason): void;
}

const COMMANDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const BOOKS = [1, 2, 4, 8, 16, 32, 64];

export function createBatchMetrics(registers: Registry[]): BatchMetrics {
  const lockWait = new Histogram({
    name: 'countinghouse_book_lock_wait_seconds',
    help: "How long a batch waited for its book's lock.",
    buckets: SECONDS,
    registers,
  });
  const commit = new Histogram({
    name: 'countinghouse_commit_seconds',
    help: 'How long a batch took from its begin to its commit.',
    buckets: SECONDS,
    registers,
  });
  const commands = new Histogram({
    name: 'countinghouse_batch_commands',
    help: 'Commands committed together, by how they were decided.',
    labelNames: ['decided'],
    buckets: COMMANDS,
    registers,
  });
  const books = new Histogram({
    name: 'countinghouse_batch_books',
    help: 'Books committed together, by how they were decided.',
    labelNames: ['decided'],
    buckets: BOOKS,
    registers,
  });
  const batches = new Counter({
    name: 'countinghouse_batches_total',
    help: 'Commits, by how they were decided: of one book ahead (while the one before was written) or under its lock, or as a shared batch, of which other processes may have held all books but one, or all.',
    labelNames: ['decided'],
    registers,
  });
  const skipped = new Counter({
    name: 'countinghouse_batch_books_skipped_total',
    help: 'Books that a shared batch skipped, because another transaction held them. The next batch waits for them.',
    registers,
  });
  const dissolved = new Counter({
    name: 'countinghouse_batches_dissolved_total',
    help: 'Shared batches dissolved, so that each book is committed separately: a lock was not granted, another process wrote a book or a row, a time limit passed, or a deadlock.',
    labelNames: ['reason'],
    registers,
  });
  return {
    observeBatch(batch) {
      lockWait.observe(batch.lockWaitSeconds);
      commit.observe(batch.commitSeconds);
      const decided = batch.shared ? 'shared' : batch.ahead ? 'ahead' : 'under_lock';
      commands.observe({ decided }, batch.commands);
      books.observe({ decided }, batch.books);
      skipped.inc(batch.skipped);
      batches.inc({ decided });
    },
    batchDissolved: (reason) => dissolved.inc({ reason }),
  };
}
