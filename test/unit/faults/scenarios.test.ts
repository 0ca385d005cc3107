/** The list of scenarios, its page, and the choice of a quick run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { drawnScenarios, quickScenarios, SCENARIOS } from '../../../scripts/faults/scenarios.ts';
import { FAILPOINTS } from '../../../src/failpoints.ts';

const page = readFileSync(new URL('../../../docs/faults.md', import.meta.url), 'utf8');

test('each scenario has a name of its own and a line in docs/faults.md', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  const lines = SCENARIOS.map(
    ({ name, about, only, quick }) => `| \`${name}\`${quick ? ' ★' : ''} | ${about} | ${only ?? 'both'} |`,
  );
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(lines);
});

test('every failpoint is one at which somebody is killed', () => {
  const killed = SCENARIOS.map(({ diesAt }) => diesAt);
  expect(FAILPOINTS.filter((point) => !killed.includes(point))).toEqual([]);
});

test('a quick run kills an API on one carrier and a worker on the other, and the same seed chooses the same', () => {
  for (const seed of [1, 2, 3, 4]) {
    const killed = (['redis', 'postgres'] as const).map((backend) => quickScenarios(seed, backend)[0]!.name);
    expect(killed.filter((name) => name.startsWith('kill-api'))).toHaveLength(1);
    expect((['redis', 'postgres'] as const).map((backend) => quickScenarios(seed, backend)[0]!.name)).toEqual(killed);
  }
});

test('a run that may not have time for all draws every scenario once, in an order of the seed', () => {
  const names = (seed: number) => drawnScenarios(seed, 'redis').flatMap((piece) => piece.map(({ name }) => name));
  expect(names(1).toSorted()).toEqual(SCENARIOS.map(({ name }) => name).toSorted());
  expect(names(1)).toEqual(names(1));
  expect(names(2)).not.toEqual(names(1));
});
