/**
 * One word has one meaning, and comments are in the words of the field. words.json holds what is left of other words, by
 * folder. Its numbers only fall.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesOf } from '../support/source-files.ts';
import { type Counts, countWords, proseOf, WORDS } from '../support/words.ts';

const HELD = JSON.parse(readFileSync(new URL('words.json', import.meta.url), 'utf8')) as Counts;

const product = filesOf('src', 'workers', 'scripts').map(proseOf);

/** A sentence for each count that is not the held one. */
function differences(held: Counts, counts: Counts): string[] {
  const folders = [...new Set([...Object.keys(held), ...Object.keys(counts)])].sort();
  return folders.flatMap((folder) =>
    Object.entries(WORDS).flatMap(([word, { instead }]) => {
      const allowed = held[folder]?.[word] ?? 0;
      const found = counts[folder]?.[word] ?? 0;
      if (found > allowed) return [`${folder}: "${word}" ${found} times, not ${allowed}. Write ${instead}.`];
      return found < allowed ? [`${folder}: "${word}" ${found} times, not ${allowed}. Lower the number.`] : [];
    }),
  );
}

test('no folder has more of these words than it is allowed, and none is allowed more than it has', () => {
  expect(differences(HELD, countWords(product))).toEqual([]);
});

test('a further word and a word that has gone are both found', () => {
  const held = { 'src/db': { told: 2, share: 1 } };
  expect(differences(held, { 'src/db': { told: 1, share: 2 } })).toEqual([
    'src/db: "told" 1 times, not 2. Lower the number.',
    'src/db: "share" 2 times, not 1. Write limited by party, part.',
  ]);
  expect(differences({}, { workers: { doubt: 1 } })).toHaveLength(1);
  expect(differences(held, {})).toHaveLength(2);
});

test.each`
  text                                                  | path                               | words
  ${'/** Rows that were told\n * of it. */'}            | ${'src/db/a.ts'}                   | ${{ told: 1 }}
  ${'/** It takes\n * in lines, which it takes in. */'} | ${'src/db/a.ts'}                   | ${{ 'takes in': 2 }}
  ${'f(/* doubtful */ 1, // said\n);'}                  | ${'workers/a.ts'}                  | ${{ doubt: 1, says: 1 }}
  ${'// `told` in told.ts'}                             | ${'workers/a.ts'}                  | ${{}}
  ${"f('// told', `// told`, /* told */ 1);"}           | ${'workers/a.ts'}                  | ${{ told: 1 }}
  ${'const toldOf = 1;'}                                | ${'scripts/a.ts'}                  | ${{ told: 1 }}
  ${'function settleAll(SHARES_MAX: number) {}'}        | ${'src/outside/a.ts'}              | ${{ settle: 1, share: 1 }}
  ${'// Books share a job, each by its share.'}         | ${'workers/a.ts'}                  | ${{ share: 1 }}
  ${"import { told } from 'b'; f({ told }, told);"}     | ${'scripts/a.ts'}                  | ${{}}
  ${'const { told } = a, { b: said } = a;'}             | ${'scripts/a.ts'}                  | ${{ says: 1 }}
  ${'interface Row { told_at: string; toldAt: 1 }'}     | ${'scripts/a.ts'}                  | ${{ told: 1 }}
  ${'let settledAt, amountSettled, settled;'}           | ${'src/db/a.ts'}                   | ${{ settle: 1 }}
  ${'// settled, a share'}                              | ${'src/payments/settlements/a.ts'} | ${{}}
`('$text in $path has $words', ({ text, path, words }) => {
  const [counts = {}] = Object.values(countWords([proseOf({ path, text })]));
  expect(counts).toEqual(words);
});

test('comments and names of the product are read', () => {
  expect(product.flatMap(({ comments }) => comments).length).toBeGreaterThan(product.length);
  expect(product.flatMap(({ names }) => names).length).toBeGreaterThan(product.length);
});
