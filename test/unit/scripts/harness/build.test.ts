import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MEMORY } from '../../../../scripts/harness/build.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

test.each(['start', 'api', 'worker'])('benches give a process as much memory as npm run %s', (name) => {
  expect(scripts[name]!.split(' ').filter((word) => word.startsWith('--') && word !== '--import')).toEqual(MEMORY);
});
