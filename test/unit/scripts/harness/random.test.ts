import { expect, test } from 'vitest';
import { createRandom } from '../../../../scripts/harness/random.ts';

const numbers = (...parts: (string | number)[]) => {
  const random = createRandom(...parts);
  return Array.from({ length: 1_000 }, () => random.between(3, 7));
};

test('a seed gives the same numbers again, another seed gives others', () => {
  expect(numbers(1, 'jobs-lost', 'redis')).toEqual(numbers(1, 'jobs-lost', 'redis'));
  expect(numbers(1, 'jobs-lost', 'redis')).not.toEqual(numbers(2, 'jobs-lost', 'redis'));
});

test('a range includes both ends, and nothing outside', () => {
  expect(new Set(numbers(1))).toEqual(new Set([3, 4, 5, 6, 7]));
});

test('a shuffled list has the same items', () => {
  const items = Array.from({ length: 50 }, (_, at) => at);
  const shuffled = createRandom(1).shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect(shuffled.sort((one, other) => one - other)).toEqual(items);
});
