/** The rules of the house that no compiler knows. Directions of imports are in .dependency-cruiser.cjs. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ACCOUNT_TRANSITIONS } from '../../src/accounts/account-profile.ts';
import { PAYOUT_TRANSITIONS } from '../../src/payouts/payout.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'workers', 'scripts', 'migrations'];

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mjs|cjs)$/.test(name))
    .map((name) => `${folder}/${name}`);
}

const sources = FOLDERS.flatMap(filesBelow).map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** Comments may speak of SQL; strings and templates may not, outside the stores. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

const STATEMENT =
  /['"`]\s*(WITH\s+\w+\s+AS|SELECT\s|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|TRUNCATE\s|CREATE\s+(TABLE|INDEX|ROLE|DATABASE|SCHEMA)|ALTER\s+(TABLE|ROLE)|GRANT\s|REVOKE\s|LOCK\s+TABLE)/;

describe('the house', () => {
  test('there are files to look at', () => {
    expect(sources.length).toBeGreaterThan(150);
  });

  test('SQL stands in stores, in src/db and in migrations', () => {
    const elsewhere = sources
      .filter(({ path }) => !/-store\.ts$|^src\/db\/|^migrations\//.test(path))
      .filter(({ text }) => STATEMENT.test(withoutComments(text)))
      .map(({ path }) => path);
    expect(elsewhere).toEqual([]);
  });

  test('the rule about SQL would find a statement', () => {
    expect(STATEMENT.test(withoutComments("await pool.query('SELECT 1 FROM payouts')"))).toBe(true);
    expect(STATEMENT.test(withoutComments('await pool.query(`\n  UPDATE payouts SET status = $1`)'))).toBe(true);
    expect(STATEMENT.test(withoutComments("// 'SELECT 1'"))).toBe(false);
  });

  test('no file is two things: none is longer than 300 lines', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path);
    expect(long).toEqual([]);
  });

  test('files are named in kebab case, and for what they are', () => {
    const odd = sources
      .map(({ path }) => path)
      .filter((path) => !/^[0-9a-z]+(-[0-9a-z]+)*\.(ts|tsx|mjs|cjs)$/.test(basename(path)));
    const vague = sources
      .map(({ path }) => path)
      .filter((path) => /(^|[-/])(utils?|common|helpers?|manager|service)\b/.test(path));
    expect({ odd, vague }).toEqual({ odd: [], vague: [] });
  });

  test('the environment is read in one place, and by what starts processes', () => {
    const readers = sources
      .filter(({ text }) => /process\.env\b/.test(withoutComments(text)))
      .map(({ path }) => path)
      .filter((path) => !/^src\/(config|failpoints)\.ts$|^src\/embedded\/|^scripts\//.test(path));
    expect(readers).toEqual([]);
  });

  test('no float touches an amount', () => {
    const floats = sources
      .filter(({ path }) => !/^scripts\/bench\//.test(path))
      .filter(({ text }) => /parseFloat|toFixed\(|Number\([^)]*\b(amount|fee|balance)/i.test(withoutComments(text)))
      .map(({ path }) => path);
    expect(floats).toEqual([]);
  });
});

describe('state diagrams in ARCHITECTURE.md', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

  /** `from to` of every arrow inside `state "NAME" as NAME { … }`. */
  function drawn(name: string): string[] {
    const body = new RegExp(`state "${name}" as ${name} \\{([\\s\\S]*?)\\n {2}\\}`).exec(text)?.[1] ?? '';
    return [...body.matchAll(/^\s*(\w+) --> (\w+)$/gm)].map(([, from, to]) => `${from} ${to}`).sort();
  }

  function tabled(transitions: Record<string, readonly string[]>): string[] {
    return Object.entries(transitions)
      .flatMap(([from, targets]) => targets.map((to) => `${from} ${to}`))
      .sort();
  }

  test.each([
    ['payout', PAYOUT_TRANSITIONS],
    ['account', ACCOUNT_TRANSITIONS],
  ] as const)('the diagram of a %s is its transition table', (name, transitions) => {
    expect(drawn(name)).toEqual(tabled(transitions));
    expect(drawn(name).length).toBeGreaterThan(0);
  });
});
