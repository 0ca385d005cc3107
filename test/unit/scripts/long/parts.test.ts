import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../../scripts/harness/build.ts';
import {
  chooseParts,
  installableFor,
  missingFor,
  PARTS,
  type Part,
  repeatOf,
  typed,
} from '../../../../scripts/long/parts.ts';

const part = (name: string, seconds: number, more: Partial<Part> = {}): Part => ({
  name,
  about: '',
  seconds,
  commands: () => [],
  ...more,
});
const parts = [part('all', 600), part('some', 120, { within: 'all' }), part('other', 60)];
const names = (list: readonly Part[]) => list.map(({ name }) => name);

describe('what is played', () => {
  test.each`
    choice                                     | played               | left
    ${{}}                                      | ${['all', 'other']}  | ${[]}
    ${{ minutes: 11 }}                         | ${['all', 'other']}  | ${[]}
    ${{ minutes: 10 }}                         | ${['all']}           | ${['other']}
    ${{ minutes: 3 }}                          | ${['some', 'other']} | ${['all']}
    ${{ minutes: 0 }}                          | ${[]}                | ${['all', 'some', 'other']}
    ${{ only: ['some'] }}                      | ${['some']}          | ${[]}
    ${{ only: ['other', 'all'] }}              | ${['all', 'other']}  | ${[]}
    ${{ only: ['some', 'other'], minutes: 1 }} | ${['other']}         | ${['some']}
  `('of $choice: $played, and $left is left for want of time', ({ choice, played, left }) => {
    const chosen = chooseParts(parts, choice);
    expect({ played: names(chosen.played), left: names(chosen.left) }).toEqual({ played, left });
  });

  test('has names of its own, and parts within others come after them', () => {
    expect(new Set(names(PARTS)).size).toBe(PARTS.length);
    for (const { name, within } of PARTS)
      if (within) expect(names(PARTS).slice(0, names(PARTS).indexOf(name))).toContain(within);
  });
});

test('what is not there is named, and no part passes without it', () => {
  const needy = part('needy', 1, { needs: { scripts: ['a', 'b'], programs: ['c', 'd'] } });
  const has = { script: (name: string) => name === 'a', program: (name: string) => name === 'c' };
  expect(missingFor(needy, has)).toEqual(['there is no npm script b', 'd is not installed']);
  expect(missingFor(part('free', 1), has)).toEqual([]);
});

test('what Debian has of what is not there is installed', () => {
  const program = (name: string) => name === 'pgbouncer';
  const needy = part('needy', 1, { needs: { programs: ['chromium', 'pgbouncer', 'cargo'] } });
  expect(installableFor(needy, { program })).toEqual(['chromium']);
  expect(installableFor(PARTS.find(({ name }) => name === 'pages')!, { program })).toEqual(['chromium']);
});

test('a command is printed as it is typed', () => {
  const command = { words: ['npm', 'run', 'a', '--', '--seed', '7', "it's"], env: { FC_SEED: '7', TEXT: 'a b' } };
  expect(typed(command)).toBe(`FC_SEED=7 TEXT='a b' npm run a -- --seed 7 'it'\\''s'`);
  expect(repeatOf({ commit: 'abc', seed: 7, command: { words: ['npm', 'test'] } })).toBe(
    'commit abc, seed 7: npm test',
  );
});

test('each command names an npm script that is there, or that its part asks for, and each seed is the given one', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const { needs, commands } of PARTS) {
    const all = commands({ seed: 7, propertyFiles: ['test/unit/a.test.ts'] });
    expect(all.length).toBeGreaterThan(0);
    for (const { words } of all.filter((command) => command.words[0] === 'npm'))
      expect([...Object.keys(scripts), ...(needs?.scripts ?? [])]).toContain(words[3]);
  }
  const typedOf = (name: string) =>
    PARTS.find((one) => one.name === name)!
      .commands({ seed: 7, propertyFiles: ['a.test.ts'] })
      .map(typed);
  expect(typedOf('faults')).toEqual(['npm run --silent faults -- --seed 7']);
  expect(typedOf('models')).toEqual(['npm run --silent model -- --steps 100000 --seed 7']);
  expect(typedOf('properties')[0]).toMatch(
    /^FC_SEED=7 FC_RUNS=10 MODEL_SEED=7 .* vitest run --project files a\.test\.ts$/,
  );
});
