import { expect, test } from 'vitest';
import { RepeatedTexts } from '../../../src/intake/repeated-texts.ts';

const added = (texts: Iterable<string>) => {
  const repeated = new RepeatedTexts();
  for (const text of texts) repeated.add(text);
  return repeated.suspects();
};
function* numbered(count: number, also: readonly string[] = []) {
  for (let at = 0; at < count; at++) yield `message-${at}`;
  yield* also;
}

test.each([0, 1, 65_536, 150_000])('%i texts that differ: none is suspected', (count) => {
  expect(added(numbered(count))).toBeUndefined();
});

test('one that stands there twice is, and no other', () => {
  const isSuspect = added(numbered(150_000, ['message-17']))!;
  expect(isSuspect('message-17')).toBe(true);
  expect([...numbered(1_000)].filter(isSuspect)).toEqual(['message-17']);
});

test('of very many, some are enough', () => {
  const isSuspect = added([...numbered(3_000), ...numbered(3_000)])!;
  expect([...numbered(3_000)].filter(isSuspect)).toHaveLength(1_000);
});
