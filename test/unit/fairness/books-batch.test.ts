import { afterEach, describe, expect, test, vi } from 'vitest';
import { BooksBatch, type BooksBatchOptions, type OfBook } from '../../../src/fairness/books-batch.ts';

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Batches whose runs the test ends. Answers are ten times the rows. */
function controlled(options: Partial<BooksBatchOptions<number, number>> = {}) {
  const runs: { rows: string[]; turn: string | undefined; end: (error?: Error) => void }[] = [];
  let turn: string | undefined;
  const batch = new BooksBatch<number, number>({
    limit: 4,
    slowMs: 1_000_000,
    run: (rows: readonly OfBook<number>[]) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(rows.map(({ row }) => row * 10)));
        runs.push({ rows: rows.map(({ bookId, row }) => `${bookId}${row}`), turn, end });
      }),
    inTurn(bookId, work) {
      turn = bookId;
      return work();
    },
    split: () => undefined,
    ...options,
  });
  const rowsOfRuns = () => runs.map(({ rows }) => rows.join(' '));
  return { batch, runs, rowsOfRuns };
}

/** Time stands still but for `vi.advanceTimersByTime`. */
const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
afterEach(() => vi.useRealTimers());

describe('a batch over books', () => {
  test('takes what came in one turn at once, and gathers what arrives meanwhile', async () => {
    const { batch, runs, rowsOfRuns } = controlled();
    const first = [batch.add('a', 1), batch.add('b', 2)];
    await settled();
    const later = [batch.add('a', 3), batch.add('c', 4)];
    await settled();
    expect(rowsOfRuns()).toEqual(['a1 b2']);
    runs[0]!.end();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await settled();
    expect(rowsOfRuns()).toEqual(['a1 b2', 'a3 c4']);
    runs[1]!.end();
    expect(await Promise.all(later)).toEqual([30, 40]);
    await settled();
    void batch.add('a', 5);
    await settled();
    expect(rowsOfRuns()).toHaveLength(3);
  });

  test('gives every book a row, and again: a flood of one keeps another’s row for one batch', async () => {
    const { batch, runs, rowsOfRuns } = controlled();
    for (let row = 1; row <= 9; row++) void batch.add('a', row);
    void batch.add('b', 1);
    await settled();
    for (const book of ['b', 'c', 'd', 'e', 'f']) void batch.add(book, 2);
    runs[0]!.end();
    await settled();
    runs[1]!.end();
    await settled();
    // The books of a batch go behind those that were left out.
    expect(rowsOfRuns()).toEqual(['a1 a2 a3 b1', 'a4 b2 c2 d2', 'e2 f2 a5 a6']);
  });

  test('fails every row of a failed batch, and goes on with the next', async () => {
    const { batch, runs } = controlled();
    const failing = [batch.add('a', 1), batch.add('b', 2)];
    const failed = Promise.allSettled(failing);
    await settled();
    const next = batch.add('a', 3);
    runs[0]!.end(new Error('away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await settled();
    runs[1]!.end();
    expect(await next).toBe(30);
  });

  test('finds the book that is refused by halves, and the others have their answers', async () => {
    const runs: string[] = [];
    const { batch } = controlled({
      limit: 100,
      split: () => 'halves',
      run: async (rows) => {
        runs.push(rows.map(({ bookId, row }) => `${bookId}${row}`).join(' '));
        if (rows.some(({ bookId }) => bookId === 'c')) throw new Error('refused');
        return rows.map(({ row }) => row * 10);
      },
    });
    const answers = ['a', 'b', 'c', 'd'].flatMap((book) => [batch.add(book, 1), batch.add(book, 2)]);
    const outcomes = await Promise.allSettled(answers);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      true,
      true,
    ]);
    expect(runs).toEqual(['a1 a2 b1 b2 c1 c2 d1 d2', 'a1 a2 b1 b2', 'c1 c2 d1 d2', 'c1 c2', 'd1 d2']);
  });

  test('a batch in which a row is held is taken apart: each book goes by itself and waits for no other', async () => {
    const { batch, runs, rowsOfRuns } = controlled({ split: () => 'books' });
    const [held, free] = [batch.add('a', 1), batch.add('b', 2)];
    await settled();
    runs[0]!.end(new Error('held'));
    await settled();
    expect(rowsOfRuns().slice(1)).toEqual(['a1', 'b2']);
    runs[2]!.end();
    expect(await free).toBe(20);
    const more = [batch.add('a', 3), batch.add('b', 4)];
    await settled();
    expect(rowsOfRuns().slice(3)).toEqual(['b4']);
    runs[3]!.end();
    expect(await more[1]).toBe(40);
    runs[1]!.end();
    expect(await held).toBe(10);
    await settled();
    expect(rowsOfRuns().slice(4)).toEqual(['a3']);
  });

  test('behind a slow batch the next begins without its books', async () => {
    stopTime();
    const { batch, runs, rowsOfRuns } = controlled({ slowMs: 20 });
    const slow = batch.add('a', 1);
    await settled();
    const [behind, other] = [batch.add('a', 2), batch.add('b', 3)];
    await settled();
    expect(rowsOfRuns()).toEqual(['a1']);
    vi.advanceTimersByTime(20);
    await settled();
    expect(rowsOfRuns()).toEqual(['a1', 'b3']);
    runs[1]!.end();
    expect(await other).toBe(30);
    runs[0]!.end();
    expect(await slow).toBe(10);
    await settled();
    expect(rowsOfRuns()).toEqual(['a1', 'b3', 'a2']);
    runs[2]!.end();
    expect(await behind).toBe(20);
  });

  test('a book that was slow by itself goes at turns of its own until it no longer is', async () => {
    stopTime();
    const { batch, runs } = controlled({ slowMs: 20 });
    const turns = () => runs.map(({ rows, turn }) => `${turn ?? 'shared'}: ${rows.join(' ')}`);
    void batch.add('a', 1);
    await settled();
    void batch.add('b', 1);
    vi.advanceTimersByTime(20);
    await settled();
    runs[1]!.end();
    runs[0]!.end();
    await settled();
    const quick = [batch.add('a', 2), batch.add('b', 2), batch.add('c', 2)];
    await settled();
    expect(turns().slice(2)).toEqual(expect.arrayContaining(['a: a2', 'shared: b2 c2']));
    for (const run of runs.slice(2)) run.end();
    await Promise.all(quick);
    await settled();
    void batch.add('a', 3);
    void batch.add('b', 3);
    await settled();
    expect(turns().at(-1)).toBe('shared: a3 b3');
  });
});
