import { expect, test } from 'vitest';
import { forEachRow } from '../../../src/queue/for-each-row.ts';

test('one poison row among many is handed over, and the others are done', async () => {
  const done: number[] = [];
  const failed: [number, unknown][] = [];
  await forEachRow([1, 2, 3, 4], {
    concurrency: 2,
    work: async (id) => {
      if (id === 2) throw new Error('poison');
      done.push(id);
    },
    onError: (id, error) => failed.push([id, (error as Error).message]),
  });
  expect(done).toEqual([1, 3, 4]);
  expect(failed).toEqual([[2, 'poison']]);
});

test('a row whose mark cannot be set does not stop the others', async () => {
  const done: number[] = [];
  await forEachRow([1, 2, 3], {
    concurrency: 1,
    work: async (id) => {
      if (id === 1) throw new Error('poison');
      done.push(id);
    },
    onError: async () => {
      throw new Error('the database is away');
    },
  });
  expect(done).toEqual([2, 3]);
});

test('no more rows are under way than asked for', async () => {
  let underWay = 0;
  let most = 0;
  await forEachRow(
    Array.from({ length: 20 }, (_, index) => index),
    {
      concurrency: 4,
      work: async () => {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay -= 1;
      },
      onError: () => undefined,
    },
  );
  expect(most).toBe(4);
});

test('no rows, no work', async () => {
  await forEachRow([], { concurrency: 4, work: async () => expect.fail(), onError: () => undefined });
});
