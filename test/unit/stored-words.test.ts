/**
 * Names in the code may be rewritten, stored and shared words may not. The list is from before the first rename. A word
 * that a version drops on purpose is dropped here too.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { storedWords } from '../support/stored-words.ts';

const HELD = JSON.parse(readFileSync(new URL('stored-words.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>;
const words = storedWords();

test.each(Object.keys(HELD))('%s are as they were', (kind) => {
  expect(HELD[kind]!.filter((word) => !words[kind]?.includes(word))).toEqual([]);
});

test('every kind of word is held, and each has some', () => {
  expect(Object.keys(HELD).sort()).toEqual(Object.keys(words).sort());
  expect(Object.keys(HELD).filter((kind) => HELD[kind]!.length === 0)).toEqual([]);
});
