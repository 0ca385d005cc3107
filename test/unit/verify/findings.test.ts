/** Every finding has its line in docs/operations.md or docs/proofs.md: what it means, and what to do. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EVENT_NAMES } from '../../../src/ledger/events/event-names.ts';

const ROOT = join(import.meta.dirname, '../../..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Rules are written out in checks; elsewhere as the `check` of a finding. Names of statements stand in stores. */
function rules(): string[] {
  const paths = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('-store.ts'),
  );
  const found = paths.flatMap((path) => {
    const isCheck = /^verify\/|\/checks\//.test(path);
    const written = textOf(`src/${path}`).matchAll(isCheck ? /'([a-z_]+\.[a-z_]+)'/g : /check: '([a-z_]+\.[a-z_]+)'/g);
    return [...written].map(([, rule]) => rule!);
  });
  return [...new Set(found)].filter((rule) => !(EVENT_NAMES as readonly string[]).includes(rule)).sort();
}

test('every finding is explained', () => {
  const pages = textOf('docs/operations.md') + textOf('docs/proofs.md');
  expect(rules().length).toBeGreaterThan(30);
  const silent = rules().filter(
    (rule) => !pages.includes(`\`${rule}\``) && !pages.includes(`\`${rule.split('.')[0]}.*\``),
  );
  expect(silent).toEqual([]);
});
