/** The tests that both queue backends must pass. Each backend's test file runs them. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../../scripts/harness/until.ts';
import { createEnqueuer, type Enqueuer } from '../../../src/queue/enqueuer.ts';
import type { JobData, QueuedData } from '../../../src/queue/job.ts';
import { definePool, type RunningPool, startPool } from '../../../src/queue/pool.ts';
import { createQueues, type Queues, type QueuesConfig } from '../../../src/queue/queues.ts';

export const silent = pino({ level: 'silent' });

/** For what hangs: no test here waits for it. */
export const LIMIT = { limitMs: PATIENCE_MS };

export const reserve = (id: string) => ({ pool: 'ledger', job: 'payout.reserve', id });

/** A ledger pool that records the rows of its jobs, in order. `hold` keeps jobs in hand until `release`. */
export class Answered {
  readonly ids: string[] = [];
  readonly jobs: JobData[] = [];
  started = 0;
  readonly startedBooks = new Set<string>();
  private gate: Promise<void> | undefined;
  private open: (() => void) | undefined;
  /** While set, this book alone is held. */
  slowBook: string | undefined;

  hold(): void {
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  release(): void {
    this.open?.();
    this.gate = undefined;
  }

  readonly pool = definePool('ledger', {
    concurrency: 4,
    jobs: {
      'payout.reserve': async (data) => {
        this.started += 1;
        this.startedBooks.add(data.bookId);
        if (this.slowBook === undefined || this.slowBook === data.bookId) await this.gate;
        this.jobs.push(data);
        this.ids.push(...data.ids);
        if (data.ids.includes('poison')) throw new Error('a bug');
      },
      'payout.release': async () => undefined,
      'payout_batch.release': async () => undefined,
      'payout_batch.make': async () => undefined,
      'hold.expire': async () => undefined,
      'statement.make': async () => undefined,
      'payment.expire': async () => undefined,
      'dispute.visit': async () => undefined,
      'share.release': async () => undefined,
      'payday.settle': async () => undefined,
      'transaction.expire': async () => undefined,
      'clock.advance': async () => undefined,
      'bank_statement.post': async () => undefined,
      'bank_match.move': async () => undefined,
      'acquirer_report.post': async () => undefined,
      'opening.close': async () => undefined,
      'fee.begin': async () => undefined,
      'fee.collect': async () => undefined,
      'book.mirror': async () => undefined,
      'credit.take': async () => undefined,
      'period.close': async () => undefined,
    },
  });
}

export function queueContract(config: () => QueuesConfig): void {
  let queues: Queues;
  let enqueuer: Enqueuer;
  let answered: Answered;
  const running: RunningPool[] = [];

  const start = (
    options: { concurrency?: number; partitions?: number[]; rowsPerJob?: number; slowMs?: number } = {},
  ) => {
    const { rowsPerJob } = options;
    const pool = startPool({ ...answered.pool, rowsPerJob }, { queues, log: silent, ...options });
    running.push(pool);
    return pool;
  };
  const enqueueAgain = (id: string, ids: string[]) =>
    queues.add('ledger', 0, [{ name: 'payout.reserve', data: { bookId: 'book', ids }, deduplicationId: id }], LIMIT);

  beforeEach(() => {
    queues = createQueues(config(), silent);
    enqueuer = createEnqueuer({ queues, log: silent });
    answered = new Answered();
  });

  afterEach(async () => {
    answered.release();
    await enqueuer.close();
    await Promise.all(running.splice(0).map((pool) => pool.close(LIMIT)));
    await queues.close();
  });

  test('an enqueued job is processed by its pool, and leaves nothing behind', async () => {
    start();
    enqueuer.enqueue('book', [reserve('a'), reserve('b')]);
    await expect.poll(() => answered.jobs).toEqual([{ bookId: 'book', ids: ['a', 'b'] }]);
    await expect
      .poll(async () => (await queues.depth('ledger', 0, LIMIT)).states)
      .toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
  });

  test('a job enqueued without a running worker waits', async () => {
    enqueuer.enqueue('book', [reserve('a')]);
    await expect.poll(async () => (await queues.depth('ledger', 0, LIMIT)).states.waiting).toBe(1);
    start();
    await expect.poll(() => answered.ids).toEqual(['a']);
  });

  test('a row that is enqueued twice is processed twice: neither job vanishes while the other is active', async () => {
    answered.hold();
    start();
    enqueuer.enqueue('book', [reserve('a')]);
    await expect.poll(() => answered.started).toBe(1);
    enqueuer.enqueue('book', [reserve('a')]);
    await expect.poll(() => answered.started).toBe(2);
    answered.release();
    await expect.poll(() => answered.ids).toEqual(['a', 'a']);
  });

  test('of the sweeper’s jobs with one id, one waits', async () => {
    await enqueueAgain('sweep', ['first']);
    await enqueueAgain('sweep', ['second']);
    expect((await queues.depth('ledger', 0, LIMIT)).states.waiting).toBe(1);
    start();
    await expect.poll(() => answered.ids).toEqual(['first']);
    await enqueueAgain('sweep', ['third']);
    await expect.poll(() => answered.ids).toEqual(['first', 'third']);
  });

  test('a sweeper’s job enqueued while its like is active runs after it; the last one replaces the others', async () => {
    answered.hold();
    start();
    await enqueueAgain('sweep', ['first']);
    await expect.poll(() => answered.started).toBe(1);
    await enqueueAgain('sweep', ['second']);
    await enqueueAgain('sweep', ['third']);
    expect(answered.started).toBe(1);
    answered.release();
    await expect.poll(() => answered.ids).toEqual(['first', 'third']);
  });

  test('jobs without a priority go first, then those of the lowest number; all count as waiting', async () => {
    const add = (id: string, priority?: number) =>
      queues.add(
        'ledger',
        0,
        [{ name: 'payout.reserve', data: { bookId: 'book', ids: [id] }, deduplicationId: id, priority }],
        LIMIT,
      );
    await add('third', 2);
    await add('second', 1);
    await add('first');
    await add('third', 2);
    expect((await queues.depth('ledger', 0, LIMIT)).states.waiting).toBe(3);
    start({ concurrency: 1 });
    await expect.poll(() => answered.ids).toEqual(['first', 'second', 'third']);
  });

  test('a row that is enqueued behind 500 jobs of a batch is taken next, and theirs are taken all the same', async () => {
    answered.hold();
    start({ concurrency: 1 });
    enqueuer.enqueue('book', [{ ...reserve('first'), behind: true }]);
    await expect.poll(() => answered.started).toBe(1);
    for (let job = 0; job < 500; job++) {
      const data = { bookId: 'book', ids: [`item-${job}`], behind: true };
      await queues.add('ledger', 0, [{ name: 'payout.reserve', data, priority: 1 }], LIMIT);
    }
    enqueuer.enqueue('book', [{ ...reserve('item-500'), behind: true }, reserve('single')]);
    await expect.poll(async () => (await queues.depth('ledger', 0, LIMIT)).states.waiting).toBe(502);
    answered.release();
    await expect.poll(() => answered.ids.length).toBe(503);
    const items = Array.from({ length: 501 }, (_, job) => `item-${job}`);
    expect(answered.ids).toEqual(['first', 'single', ...items]);
    expect(answered.jobs.map(({ behind = false }) => behind)).toEqual([true, false, ...items.map(() => true)]);
  });

  test('bulk work of a book that has half of the room keeps no other work of the book out', async () => {
    answered.hold();
    const pool = start({ rowsPerJob: 50 });
    const rows = Array.from({ length: 400 }, (_, row) => ({ ...reserve(`item-${row}`), behind: true }));
    enqueuer.enqueue('book', rows);
    await expect.poll(() => [pool.inHand(), answered.started]).toEqual([4, 1]);
    answered.release();
    await expect.poll(() => answered.ids.length).toBe(400);
    answered.hold();
    enqueuer.enqueue('book', rows.slice(0, 200));
    await expect.poll(() => [pool.inHand(), answered.started]).toEqual([2, 5]);
    enqueuer.enqueue('book', [reserve('single')]);
    await expect.poll(() => [pool.inHand(), answered.started]).toEqual([3, 6]);
  });

  test('a failed job is removed, and the next is processed', async () => {
    start();
    enqueuer.enqueue('book', [reserve('poison')]);
    enqueuer.enqueue('book-2', [reserve('b')]);
    await expect.poll(() => answered.ids.toSorted()).toEqual(['b', 'poison']);
    await expect
      .poll(async () => (await queues.depth('ledger', 0, LIMIT)).states)
      .toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
  });

  /** Four jobs of a hundred rows. */
  const enqueueFourHundred = () => enqueueRows('book', 400);
  const enqueueRows = (bookId: string, count: number) =>
    enqueuer.enqueue(
      bookId,
      Array.from({ length: count }, (_, row) => reserve(`${bookId}-row-${row}`)),
    );

  test('a pool with a row limit holds back the next job of a book that has half of the room', async () => {
    answered.hold();
    const pool = start({ rowsPerJob: 50 });
    enqueueFourHundred();
    await expect.poll(() => [pool.inHand(), answered.started]).toEqual([4, 1]);
    answered.release();
    await expect.poll(() => answered.ids.length).toBe(400);
  });

  test('and admits jobs of another book until the room is full', async () => {
    answered.hold();
    const pool = start({ rowsPerJob: 50 });
    enqueueRows('book', 200);
    enqueueRows('book-2', 200);
    await expect.poll(() => [pool.inHand(), answered.started]).toEqual([4, 2]);
    expect(answered.startedBooks).toEqual(new Set(['book', 'book-2']));
    answered.release();
    await expect.poll(() => answered.ids.length).toBe(400);
  });

  test('a pool without a row limit starts every job: a slow receiver does not block the rows of others', async () => {
    answered.hold();
    start();
    enqueueFourHundred();
    await expect.poll(() => answered.started).toBe(4);
    answered.release();
    await expect.poll(() => answered.ids.length).toBe(400);
  });

  describe('a multi-book job', () => {
    const multiBook = (...books: string[]): QueuedData => ({
      books: books.map((book) => ({ bookId: book, ids: [book] })),
    });
    const add = (...data: QueuedData[]) =>
      queues.add(
        'ledger',
        0,
        data.map((each) => ({ name: 'payout.reserve', data: each })),
        LIMIT,
      );
    const holdBook = (book: string) => {
      answered.hold();
      answered.slowBook = book;
    };
    const nothingActive = async () =>
      expect.poll(async () => (await queues.depth('ledger', 0, LIMIT)).states.active).toBe(0);

    test('is answered book by book, beside jobs of the first form, also where a part fails', async () => {
      start();
      await add(multiBook('a', 'poison', 'b'), { bookId: 'c', ids: ['c'] });
      await expect.poll(() => answered.ids.toSorted()).toEqual(['a', 'b', 'c', 'poison']);
      expect(answered.jobs).toContainEqual({ bookId: 'a', ids: ['a'] });
      await nothingActive();
    });

    test('is made by an enqueuer that may write that form', async () => {
      start();
      const forming = createEnqueuer({ queues, log: silent, forms: { multiBookJobs: true, laterJobs: true } });
      for (const book of ['a', 'b']) forming.enqueue(book, [reserve(`${book}-1`), reserve(`${book}-2`)]);
      await forming.close();
      await expect.poll(() => answered.ids.toSorted()).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
    });

    test('answers the others while one of its books is slow, and then leaves its place in the pool', async () => {
      holdBook('slow');
      const pool = start({ concurrency: 1, slowMs: 50 });
      await add(multiBook('slow', 'a'), multiBook('slow', 'b'), { bookId: 'c', ids: ['c'] });
      await expect.poll(() => answered.ids).toEqual(['a', 'b', 'c']);
      await nothingActive();
      expect(pool.inHand()).toBe(2);
      answered.release();
      await expect.poll(() => answered.ids).toEqual(['a', 'b', 'c', 'slow', 'slow']);
    });

    test('keeps its place when a thousand rows have outlasted their jobs', async () => {
      holdBook('slow');
      start({ concurrency: 1, slowMs: 50 });
      const slow = { bookId: 'slow', ids: Array.from({ length: 1_000 }, (_, row) => `slow-${row}`) };
      await add({ books: [slow, { bookId: 'a', ids: ['a'] }] }, multiBook('slow', 'b'), { bookId: 'c', ids: ['c'] });
      await expect.poll(() => answered.ids).toEqual(['a', 'b']);
      expect((await queues.depth('ledger', 0, LIMIT)).states).toMatchObject({ active: 1, waiting: 1 });
      answered.release();
      await expect.poll(() => answered.ids.length).toBe(1_004);
    });

    test('enters the room by book: a part that finds none keeps nobody out', async () => {
      holdBook('busy');
      const pool = start({ concurrency: 2, rowsPerJob: 50 });
      const rows = (bookId: string, count: number) => ({
        bookId,
        ids: Array.from({ length: count }, (_, row) => `${bookId}-${row}`),
      });
      // Half of the room is the busy book's: its second part waits, and the quiet book's does not.
      await add({ books: [rows('busy', 50), rows('a', 1)] }, { books: [rows('busy', 40), rows('b', 1)] });
      await expect.poll(() => answered.ids).toEqual(['a-0', 'b-0']);
      expect([answered.started, pool.inHand()]).toEqual([3, 2]);
      answered.release();
      await expect.poll(() => answered.ids.length).toBe(92);
    });

    test('is finished at closing, with the parts that outlast it', async () => {
      holdBook('slow');
      const pool = start({ slowMs: 50 });
      await add(multiBook('slow', 'a'));
      await expect.poll(() => answered.ids).toEqual(['a']);
      await nothingActive();
      expect(await pool.close({ limitMs: 50 })).toBe(false);
      const closed = pool.close(LIMIT);
      answered.release();
      expect(await closed).toBe(true);
      expect(answered.ids).toEqual(['a', 'slow']);
    });
  });

  test('closing finishes jobs in hand and takes no more', async () => {
    answered.hold();
    const pool = start({ concurrency: 1 });
    enqueuer.enqueue('book', [reserve('a')]);
    await expect.poll(() => answered.started).toBe(1);
    enqueuer.enqueue('book-2', [reserve('b')]);
    await expect.poll(async () => (await queues.depth('ledger', 0, LIMIT)).states.waiting).toBe(1);
    const closed = pool.close(LIMIT);
    answered.release();
    expect(await closed).toBe(true);
    expect(answered.ids).toEqual(['a']);
    expect((await queues.depth('ledger', 0, LIMIT)).states).toMatchObject({ waiting: 1, active: 0 });
  });

  test('closing gives up on a job that does not end', async () => {
    answered.hold();
    const pool = start();
    enqueuer.enqueue('book', [reserve('a')]);
    await expect.poll(() => answered.started).toBe(1);
    expect(await pool.close({ limitMs: 50 })).toBe(false);
  });

  test('a process works every partition, those that it does not prefer one job at a time', async () => {
    await queues.close();
    queues = createQueues({ ...config(), QUEUE_LANES: 2 }, silent);
    answered.hold();
    start({ concurrency: 3, partitions: [1] });
    for (const partition of [0, 1]) {
      const jobs = Array.from({ length: 5 }, (_, index) => ({
        name: 'payout.reserve' as const,
        data: { bookId: 'book', ids: [`${partition}-${index}`] },
      }));
      await queues.add('ledger', partition, jobs, LIMIT);
    }
    const active = async () =>
      (await queues.depths(LIMIT)).filter(({ pool }) => pool === 'ledger').map((of) => of.states.active);
    await expect.poll(active).toEqual([1, 3]);
    answered.release();
    await expect.poll(() => answered.ids.length).toBe(10);
  });
}
