/** The list of scenarios, its documentation, and the choice of a quick run. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { groupsOf } from '../../../../scripts/faults/rounds.ts';
import { drawnScenarios, quickScenarios, SCENARIOS } from '../../../../scripts/faults/scenarios.ts';
import { FAILPOINTS } from '../../../../src/process/failpoints.ts';

const page = readFileSync(new URL('../../../../docs/faults.md', import.meta.url), 'utf8');

/** Files of banks: their processes die in a test of their own, beside no load. */
const killsInTests = ['e2e/reconciliation-uploads', 'db/reconciliation/folders']
  .map((test) => readFileSync(new URL(`../../../${test}.test.ts`, import.meta.url), 'utf8'))
  .join('');

test('each scenario has a unique name and a line in docs/faults.md', () => {
  expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  const lines = SCENARIOS.map(
    ({ name, about, only, quick }) => `| \`${name}\`${quick ? ' ★' : ''} | ${about} | ${only ?? 'both'} |`,
  );
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(lines);
});

test('a scenario or a test kills a process at every failpoint', () => {
  const killed = SCENARIOS.map(({ diesAt }) => diesAt);
  expect(FAILPOINTS.filter((point) => !killed.includes(point) && !killsInTests.includes(`'${point}`))).toEqual([]);
});

test('a quick run kills an API on one backend and a worker on the other, chosen by its seed', () => {
  for (const seed of [1, 2, 3, 4]) {
    const killed = (['redis', 'postgres'] as const).map((backend) => quickScenarios(seed, backend)[0]!.name);
    expect(killed.filter((name) => name.startsWith('kill-api'))).toHaveLength(1);
    expect((['redis', 'postgres'] as const).map((backend) => quickScenarios(seed, backend)[0]!.name)).toEqual(killed);
  }
});

test('a run with limited time draws every scenario once, in an order of its seed', () => {
  const names = (seed: number) => drawnScenarios(seed, 'redis').flatMap((piece) => piece.map(({ name }) => name));
  expect(names(1).toSorted()).toEqual(SCENARIOS.map(({ name }) => name).toSorted());
  expect(names(1)).toEqual(names(1));
  expect(names(2)).not.toEqual(names(1));
});

test('kills, networks and receivers follow each other under one load, a few at a time; every other scenario has its own', () => {
  const groups = groupsOf(SCENARIOS);
  expect(groups.flat()).toEqual(SCENARIOS);
  for (const group of groups) {
    expect(group.length).toBeLessThanOrEqual(6);
    if (group.length > 1) expect(group.filter(({ together }) => !together)).toEqual([]);
    expect(new Set(group.map(({ shared }) => shared)).size).toBe(1);
  }
  expect(groups.filter((group) => group.length > 1).length).toBeGreaterThan(5);
});
