import { expect, test } from 'vitest';
import { forEachRow } from '../../../src/queue/for-each-row.ts';

test('a row that fails is passed to onError, and the others are processed', async () => {
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

test('an error in onError does not stop the other rows', async () => {
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

test('rows run up to the given concurrency', async () => {
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

test('without rows nothing runs', async () => {
  await forEachRow([], { concurrency: 4, work: async () => expect.fail(), onError: () => undefined });
});
