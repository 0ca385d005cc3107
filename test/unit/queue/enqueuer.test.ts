import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { withinLimit } from '../../../src/process/time-limit.ts';
import { createEnqueuer, type DropReason, type EnqueueCounts } from '../../../src/queue/enqueuer.ts';
import { partsOf, type QueuePool } from '../../../src/queue/job.ts';
import type { QueueJob } from '../../../src/queue/queues.ts';

const log = pino({ level: 'silent' });

interface Added {
  pool: QueuePool;
  partition: number;
  jobs: readonly QueueJob[];
}

/** Queues that hold every call until the test releases it. */
function heldQueues(partitions = 1) {
  const calls: (Added & { let: (error?: Error) => void })[] = [];
  return {
    calls,
    queues: {
      partitions,
      add: (pool: QueuePool, partition: number, jobs: readonly QueueJob[], { limitMs }: { limitMs: number }) =>
        new Promise<void>((resolve, reject) => {
          const limit = setTimeout(() => reject(new Error('too late')), limitMs);
          const settle = (error?: Error) => {
            clearTimeout(limit);
            if (error) reject(error);
            else resolve();
          };
          calls.push({ pool, partition, jobs, let: settle });
        }),
    },
  };
}

function counting(): EnqueueCounts & { enqueuedIds: number; droppedIds: Partial<Record<DropReason, number>> } {
  return {
    enqueuedIds: 0,
    droppedIds: {},
    enqueued(ids) {
      this.enqueuedIds += ids;
    },
    dropped(ids, reason) {
      this.droppedIds[reason] = (this.droppedIds[reason] ?? 0) + ids;
    },
  };
}

const reserve = (id: string) => ({ pool: 'ledger', job: 'payout.reserve', id });
const send = (id: string) => ({ pool: 'webhooks', job: 'delivery.send', id });
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('an enqueuer', () => {
  test('puts the ids of one book and job into one job, up to a hundred', async () => {
    const { queues, calls } = heldQueues();
    const enqueuer = createEnqueuer({ queues, log });
    enqueuer.enqueue(
      'book-a',
      Array.from({ length: 150 }, (_, index) => reserve(`${index}`)),
    );
    enqueuer.enqueue('book-a', [reserve('150'), send('1:x')]);
    enqueuer.enqueue('book-b', [reserve('0')]);
    await turn();
    expect(calls.map(({ pool }) => pool)).toEqual(['ledger', 'webhooks']);
    expect(
      calls[0]?.jobs.flatMap(({ name, data }) => partsOf(data).map(({ bookId, ids }) => [name, bookId, ids.length])),
    ).toEqual([
      ['payout.reserve', 'book-a', 100],
      ['payout.reserve', 'book-a', 51],
      ['payout.reserve', 'book-b', 1],
    ]);
    for (const call of calls) call.let();
    await enqueuer.close();
  });

  test('puts the rows of many books into one job a partition and job name, once that form may be written', async () => {
    const { queues, calls } = heldQueues();
    const counts = counting();
    const forms = { multiBookJobs: false, laterJobs: true };
    const enqueuer = createEnqueuer({ queues, log, counts, forms, paceMs: 0 });
    const books = Array.from({ length: 120 }, (_, book) => `book-${book}`);
    const enqueueAll = () => {
      for (const book of books) enqueuer.enqueue(book, [reserve('a'), send(`1:${book}`)]);
    };
    enqueueAll();
    await turn();
    expect(calls.map(({ pool, jobs }) => [pool, jobs.length])).toEqual([
      ['ledger', 120],
      ['webhooks', 120],
    ]);
    expect(calls[0]?.jobs[0]?.data).toEqual({ bookId: 'book-0', ids: ['a'] });
    for (const call of calls.splice(0)) call.let();
    await turn();
    forms.multiBookJobs = true;
    enqueueAll();
    await turn();
    expect(calls.map(({ pool, jobs }) => [pool, jobs.map(({ data }) => partsOf(data).length)])).toEqual([
      ['ledger', [100, 20]],
      ['webhooks', [100, 20]],
    ]);
    expect(calls[0]?.jobs[1]?.data).toEqual({
      books: books.slice(100).map((bookId) => ({ bookId, ids: ['a'] })),
    });
    for (const call of calls) call.let();
    await enqueuer.close();
    expect(counts).toMatchObject({ enqueuedIds: 480, droppedIds: {} });
  });

  test('leaves jobs that the release before does not know to the sweeper, until they may be written', async () => {
    const { queues, calls } = heldQueues();
    const forms = { multiBookJobs: true, laterJobs: false };
    const enqueuer = createEnqueuer({ queues, log, forms, paceMs: 0 });
    const make = { pool: 'ledger', job: 'payout_batch.make', id: 'batch' };
    const namesOf = () =>
      calls.splice(0).flatMap((call) => {
        call.let();
        return call.jobs.map(({ name }) => name);
      });
    enqueuer.enqueue('book-a', [make]);
    enqueuer.enqueue('book-a', [make, reserve('a')]);
    await turn();
    expect(namesOf()).toEqual(['payout.reserve']);
    await turn();
    forms.laterJobs = true;
    enqueuer.enqueue('book-a', [make, reserve('a')]);
    await turn();
    expect(namesOf()).toEqual(['payout_batch.make', 'payout.reserve']);
    await enqueuer.close();
  });

  test('counts every row of a multi-book job that is dropped, and has their room again', async () => {
    const { queues, calls } = heldQueues();
    const counts = counting();
    const forms = { multiBookJobs: true, laterJobs: true };
    const enqueuer = createEnqueuer({ queues, log, counts, forms, capacity: 3, paceMs: 0 });
    const enqueueFour = () => {
      for (const book of ['a', 'b', 'c', 'd']) enqueuer.enqueue(book, [reserve('1')]);
    };
    enqueueFour();
    await turn();
    calls[0]?.let(new Error('ECONNREFUSED'));
    await turn();
    expect(counts).toMatchObject({ enqueuedIds: 0, droppedIds: { full: 1, unreachable: 3 } });
    enqueueFour();
    await turn();
    calls[1]?.let();
    await turn();
    expect(counts).toMatchObject({ enqueuedIds: 3, droppedIds: { full: 2, unreachable: 3 } });
  });

  test('enqueues a row once, however often it is given before the flush', async () => {
    const { queues, calls } = heldQueues();
    const enqueuer = createEnqueuer({ queues, log });
    enqueuer.enqueue('book', [reserve('a'), reserve('a')]);
    enqueuer.enqueue('book', [reserve('a')]);
    await turn();
    expect(calls[0]?.jobs).toEqual([{ name: 'payout.reserve', data: { bookId: 'book', ids: ['a'] } }]);
  });

  test('gathers rows that arrive during a flush into the next one', async () => {
    const { queues, calls } = heldQueues();
    const enqueuer = createEnqueuer({ queues, log, paceMs: 0 });
    enqueuer.enqueue('book', [reserve('a')]);
    await turn();
    enqueuer.enqueue('book', [reserve('b')]);
    enqueuer.enqueue('book', [reserve('c')]);
    await turn();
    expect(calls).toHaveLength(1);
    calls[0]?.let();
    await turn();
    expect(calls[1]?.jobs[0]?.data).toEqual({ bookId: 'book', ids: ['b', 'c'] });
    calls[1]?.let();
    await enqueuer.close();
  });

  test('enqueues the first row at once, and gathers later ones for its pace', async () => {
    const { queues, calls } = heldQueues();
    const enqueuer = createEnqueuer({ queues, log, paceMs: 1_000 });
    enqueuer.enqueue('book', [reserve('a')]);
    await turn();
    expect(calls).toHaveLength(1);
    calls[0]?.let();
    await turn();
    enqueuer.enqueue('book', [reserve('b')]);
    await turn();
    enqueuer.enqueue('book', [reserve('c')]);
    await turn();
    expect(calls).toHaveLength(1);
    await expect.poll(() => calls.length).toBe(2);
    expect(calls[1]?.jobs[0]?.data).toEqual({ bookId: 'book', ids: ['b', 'c'] });
    calls[1]?.let();
    await enqueuer.close();
  });

  test('always sends a book to the same partition', async () => {
    const { queues, calls } = heldQueues(8);
    const enqueuer = createEnqueuer({ queues, log });
    enqueuer.enqueue('book-a', [reserve('1'), send('1:x')]);
    await turn();
    expect(new Set(calls.map(({ partition }) => partition)).size).toBe(1);
  });

  test('holds ids up to its capacity, counts the dropped ones, and has room again after a flush', async () => {
    const { queues, calls } = heldQueues();
    const counts = counting();
    const enqueuer = createEnqueuer({ queues, log, counts, capacity: 3, paceMs: 0 });
    enqueuer.enqueue('book', [reserve('a'), reserve('b')]);
    await turn();
    enqueuer.enqueue('book', [reserve('c'), reserve('d'), reserve('e')]);
    expect(counts.droppedIds).toEqual({ full: 2 });
    calls[0]?.let();
    await turn();
    calls[1]?.let();
    await turn();
    enqueuer.enqueue('book', [reserve('f'), reserve('g'), reserve('h')]);
    await turn();
    calls[2]?.let();
    await turn();
    expect(counts).toMatchObject({ enqueuedIds: 6, droppedIds: { full: 2 } });
  });

  test('gives up on a queue that does not answer, drops its ids, and continues', async () => {
    let hangs = true;
    const queues = { partitions: 1, add: () => (hangs ? new Promise<never>(() => undefined) : Promise.resolve()) };
    const counts = counting();
    const limited = {
      partitions: 1,
      add: (..._: unknown[]) => withinLimit(queues.add(), { what: 'queue', limitMs: 20 }),
    };
    const enqueuer = createEnqueuer({ queues: limited, log, counts });
    enqueuer.enqueue('book', [reserve('a'), reserve('b')]);
    await expect.poll(() => counts.droppedIds).toEqual({ unreachable: 2 });
    hangs = false;
    enqueuer.enqueue('book', [reserve('c')]);
    await expect.poll(() => counts.enqueuedIds).toBe(1);
  });

  test('never throws, and a failing queue does not stop another', async () => {
    const { queues, calls } = heldQueues();
    const counts = counting();
    const enqueuer = createEnqueuer({ queues, log, counts });
    enqueuer.enqueue('book', [reserve('a'), send('1:x')]);
    await turn();
    calls[0]?.let(new Error('ECONNREFUSED'));
    calls[1]?.let();
    await turn();
    expect(counts).toMatchObject({ enqueuedIds: 1, droppedIds: { unreachable: 1 } });
  });

  test('flushes at close, and counts later ids as dropped', async () => {
    const { queues, calls } = heldQueues();
    const counts = counting();
    const enqueuer = createEnqueuer({ queues, log, counts });
    enqueuer.enqueue('book', [reserve('a')]);
    const closed = enqueuer.close();
    await turn();
    calls[0]?.let();
    await closed;
    enqueuer.enqueue('book', [reserve('b')]);
    expect(counts).toMatchObject({ enqueuedIds: 1, droppedIds: { closed: 1 } });
  });

  test('closes within its limit while the queue hangs', async () => {
    const { queues } = heldQueues();
    const enqueuer = createEnqueuer({ queues, log, flushLimitMs: 20 });
    enqueuer.enqueue('book', [reserve('a')]);
    await enqueuer.close();
  });
});
