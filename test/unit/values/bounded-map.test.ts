import { expect, test } from 'vitest';
import { BoundedMap } from '../../../src/values/bounded-map.ts';

test('beyond its limit the least recently used item is dropped', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([1, undefined, 3, 2]);
});

test('setting an item again replaces it and counts as a use', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 10);
  map.set('c', 3);
  expect([map.get('a'), map.get('b')]).toEqual([10, undefined]);
});
