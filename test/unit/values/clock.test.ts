import { expect, test } from 'vitest';
import { formatInstant } from '../../../src/values/clock.ts';

const NOW = Date.parse('2026-03-01T00:00:00.005Z');

/** Texts are kept by the last six bits of their moment. */
test.each`
  order                           | moments
  ${'again'}                      | ${[NOW, NOW, NOW]}
  ${'of the same place by turns'} | ${[NOW, NOW + 64, NOW, NOW + 128, NOW]}
  ${'of places side by side'}     | ${[NOW, NOW + 1, NOW - 1, NOW]}
  ${'around the epoch'}           | ${[0, -64, -1, 1, 64, 0]}
`('moments $order have their own texts', ({ moments }: { moments: number[] }) => {
  expect(moments.map(formatInstant)).toEqual(moments.map((moment) => new Date(moment).toISOString()));
});

test('a value outside the calendar is printed as its number', () => {
  const beyond = [8.64e15 + 64, -8.64e15 - 64, Number.POSITIVE_INFINITY, Number.NaN];
  expect(beyond.map(formatInstant)).toEqual(beyond.map(String));
  expect(formatInstant(8.64e15)).toBe('+275760-09-13T00:00:00.000Z');
});
