/** Whatever moves a pool is mirrored: the group whose entries do it says what a bank shows of them. */
import { expect, test } from 'vitest';
import { GROUPS } from '../../src/groups.ts';

/** Resources whose rows say that they move the pool (docs/decisions/equations.md). */
const MOVERS = GROUPS.flatMap(({ name, equations = [] }) =>
  equations
    .filter(({ codes }) => codes.includes('pool'))
    .flatMap(({ resources }) => resources.map((one) => [one, name])),
);
const WORDS = GROUPS.flatMap(({ name, atBank = [] }) =>
  atBank.flatMap(({ resources }) => resources.map((one) => [one, name])),
);

test.each(MOVERS)('%s moves the pool, and the group of %s says what a bank shows of it', (resource, group) => {
  expect(WORDS.filter(([one]) => one === resource)).toEqual([[resource, group]]);
});

test('nothing else has a word', () => {
  expect(MOVERS.length).toBeGreaterThan(4);
  expect(WORDS.filter(([word]) => !MOVERS.some(([mover]) => mover === word))).toEqual([]);
});
