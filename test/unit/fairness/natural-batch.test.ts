import { describe, expect, test } from 'vitest';
import { NaturalBatch } from '../../../src/fairness/natural-batch.ts';

/** A batch whose runs the test ends. */
function controlled() {
  const runs: { key: string; items: number[]; end: (error?: Error) => void }[] = [];
  let begun = () => {};
  const batch = new NaturalBatch<number, number>({
    limit: 3,
    run: (key, items) =>
      new Promise((resolve, reject) => {
        runs.push({ key, items, end: (error) => (error ? reject(error) : resolve(items.map((item) => item * 10))) });
        begun();
      }),
  });
  const nextRun = (count: number) =>
    new Promise<void>((resolve) => {
      begun = () => runs.length >= count && resolve();
      begun();
    });
  return { batch, runs, nextRun };
}

describe('natural batching', () => {
  test('runs items at once, and gathers those that arrive meanwhile, up to the limit', async () => {
    const { batch, runs, nextRun } = controlled();
    const first = [batch.add('a', 1), batch.add('a', 2)];
    await nextRun(1);
    const later = [3, 4, 5, 6].map((item) => batch.add('a', item));
    runs[0]!.end();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await nextRun(2);
    runs[1]!.end();
    await nextRun(3);
    runs[2]!.end();
    expect(await Promise.all(later)).toEqual([30, 40, 50, 60]);
    expect(runs.map(({ items }) => items)).toEqual([[1, 2], [3, 4, 5], [6]]);
  });

  test('runs different keys separately and in parallel', async () => {
    const { batch, runs, nextRun } = controlled();
    const answers = [batch.add('a', 1), batch.add('b', 2)];
    await nextRun(2);
    expect(runs.map(({ key, items }) => [key, items])).toEqual([
      ['a', [1]],
      ['b', [2]],
    ]);
    for (const run of runs) run.end();
    expect(await Promise.all(answers)).toEqual([10, 20]);
  });

  test('fails all items of a failed run, and continues with the next', async () => {
    const { batch, runs, nextRun } = controlled();
    const failing = batch.add('a', 1);
    await nextRun(1);
    const next = batch.add('a', 2);
    runs[0]!.end(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    await nextRun(2);
    runs[1]!.end();
    expect(await next).toBe(20);
  });
});
