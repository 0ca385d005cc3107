import { describe, expect, test } from 'vitest';
import { RowReader, readAhead } from '../../../src/verify/read-ahead.ts';

/** Numbers up to a limit in pages. Records each page request in `asked`. */
const numbers = (upTo: number, size: number, asked: (number | undefined)[] = []) => {
  return async (last: number | undefined) => {
    asked.push(last);
    const from = (last ?? 0) + 1;
    return Array.from({ length: Math.max(Math.min(size, upTo - from + 1), 0) }, (_, at) => from + at);
  };
};

describe('pages', () => {
  test.each`
    upTo | size | pages
    ${0} | ${3} | ${[]}
    ${2} | ${3} | ${[[1, 2]]}
    ${3} | ${3} | ${[[1, 2, 3]]}
    ${7} | ${3} | ${[[1, 2, 3], [4, 5, 6], [7]]}
  `('of $size up to $upTo are $pages', async ({ upTo, size, pages }) => {
    const seen: (readonly number[])[] = [];
    for await (const page of readAhead(numbers(upTo, size))) seen.push(page);
    expect(seen).toEqual(pages);
  });

  test('are read while the page before is processed', async () => {
    const asked: (number | undefined)[] = [];
    for await (const page of readAhead(numbers(6, 3, asked))) {
      expect(asked).toEqual(page[0] === 1 ? [undefined, 3] : [undefined, 3, 6]);
    }
  });

  test('that cannot be read throw their error at their place', async () => {
    const seen: (readonly number[])[] = [];
    const reading = async () => {
      const read = async (last?: number) => (last === undefined ? [1] : Promise.reject(new Error('gone')));
      for await (const page of readAhead(read)) seen.push(page);
    };
    await expect(reading()).rejects.toThrow('gone');
    expect(seen).toEqual([[1]]);
  });

  test('that are no longer needed fail silently', async () => {
    const read = async (last?: number) => (last === undefined ? [1] : Promise.reject(new Error('gone')));
    for await (const _ of readAhead(read)) break;
  });
});

test('rows come one by one, and the reader waits only at the start of a page', async () => {
  const reader = new RowReader(numbers(5, 2));
  const seen: number[] = [];
  let turned = 0;
  for (;;) {
    if (reader.needsPage) {
      await reader.turnPage();
      turned++;
    }
    if (reader.front === undefined) break;
    seen.push(reader.front);
    reader.advance();
  }
  expect(seen).toEqual([1, 2, 3, 4, 5]);
  expect(turned).toBe(4);
  expect(reader.needsPage).toBe(false);
  await reader.close();
});
