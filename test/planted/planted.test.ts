/**
 * A further resource, planted in a copy of the tree: notes on payouts, with a table, routes, events and personal text
 * (payout-notes/). Outside of its folder it is at most six files that somebody writes; whatever is left out of them, and of
 * what tests record, fails the compiler or a test that names the resource. docs/decisions/declared-resources.md.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLANTED = join(import.meta.dirname, 'payout-notes');
const FILES = join(PLANTED, 'files');
/** Edits that somebody makes, and those that tests record by `-u`. */
const PATCHES = ['edits.patch', 'recorded.patch'];

const OWN_FOLDER = 'src/payouts/notes/';
const OUTSIDE_MAX = 6;
const ALL_MAX = 20;

const LEFT_BEHIND = new Set(['node_modules', 'dist', '.git', '.data', 'coverage']);

interface Outcome {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs a program in the copy. */
async function run(...command: readonly string[]): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST_FROM_BUILD|NODE_ENV)/.test(name));
  const options = { cwd: copy, env: { ...Object.fromEntries(inherited), CI: 'true' }, maxBuffer: 64 * 1024 * 1024 };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, options);
    return { passed: true, output: stdout + stderr };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { passed: false, output: stdout + stderr };
  }
}

const TSC = 'node_modules/typescript/bin/tsc';
const VITEST = 'node_modules/vitest/vitest.mjs';

const compiles = (project: string) => run(TSC, '--noEmit', '--project', project);
const passes = (...files: readonly string[]) => run(VITEST, 'run', '--project', 'files', ...files);

/** The resource's own half alone, which names its id and its events. */
const DECLARATION = 'tsconfig.declaration.json';
const declares = () => compiles(DECLARATION);

const listed = () => passes('test/unit/groups.test.ts');
const stored = () => passes('test/db/platform/declared-tables.test.ts');
const drawn = () => passes('test/unit/states.test.ts');
const shown = () => passes('test/unit/http/examples.test.ts');

/** What fails where a file is left out. */
const LEFT_OUT: Readonly<Record<string, () => Promise<Outcome>>> = {
  'src/values/ids.ts': declares,
  'src/ledger/events/event-names.ts': declares,
  'src/payouts/index.ts': listed,
  'src/http/routes.ts': listed,
  'migrations/0099-payout-notes.ts': stored,
  'test/e2e/transcript/groups/payout-notes.ts': stored,
  'docs/states.md': drawn,
  'src/http/reference/examples/errors.json': shown,
  'src/http/reference/examples/events.json': shown,
  'src/http/reference/examples/operations/payouts.json': shown,
};

const added = readdirSync(FILES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(FILES.length + 1));
const editedBy = (patch: string) =>
  [...readFileSync(join(PLANTED, patch), 'utf8').matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path!);
const [edited, recorded] = PATCHES.map(editedBy) as [string[], string[]];

let copy: string;

/** One line around a change names its place, so that a further resource beside it moves nothing. */
const LOOSELY = ['-C1'];

/** Applies or takes back what the patches change in these files. */
async function apply(paths: readonly string[], ...options: readonly string[]): Promise<void> {
  const only = paths.map((path) => `--include=${path}`);
  const files = PATCHES.map((patch) => join(PLANTED, patch));
  await promisify(execFile)('git', ['apply', ...LOOSELY, ...options, ...only, ...files], { cwd: copy });
}

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'planted-'));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_BEHIND.has(path.slice(ROOT.length).split('/')[0]!) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const declaration = { extends: './tsconfig.json', include: [], files: [`${OWN_FOLDER}payout-note-resource.ts`] };
  writeFileSync(join(copy, DECLARATION), JSON.stringify(declaration));
  cpSync(FILES, copy, { recursive: true });
  await apply([...edited, ...recorded]);
});

afterAll(() => {
  if (copy) rmSync(copy, { recursive: true, force: true });
});

test('a further resource is a folder and at most six files that somebody writes', () => {
  const written = [...added, ...edited];
  const outside = written.filter((path) => !path.startsWith(OWN_FOLDER));
  expect(outside.length, outside.join('\n')).toBeLessThanOrEqual(OUTSIDE_MAX);
  expect([...written, ...recorded].length).toBeLessThanOrEqual(ALL_MAX);
  expect([...outside, ...recorded].sort()).toEqual(Object.keys(LEFT_OUT).sort());
});

test('with all of them it compiles', async () => {
  expect(await compiles('tsconfig.json')).toMatchObject({ passed: true });
});

test('and passes the tests that find what is left out', async () => {
  const { passed, output } = await passes(
    'test/unit/groups.test.ts',
    'test/unit/declared-tables.test.ts',
    'test/unit/states.test.ts',
    'test/unit/http/examples.test.ts',
    'test/unit/http/document.test.ts',
    'test/db/platform/declared-tables.test.ts',
  );
  expect(passed, output).toBe(true);
});

test('it is among all routes: of another book, without the scope, page by page', async () => {
  const { passed, output } = await run(
    VITEST,
    ...['run', '--project', 'files', 'test/e2e/http-matrix.test.ts', '-t', '/v1/payouts/:id/notes'],
  );
  expect(passed, output).toBe(true);
  expect(output).toMatch(/\d\d passed/);
});

test.each(Object.entries(LEFT_OUT))('without %s it fails', async (path, check) => {
  const isNew = added.includes(path);
  if (isNew) rmSync(join(copy, path));
  else await apply([path], '--reverse');
  const { passed, output } = await check();
  if (isNew) cpSync(join(FILES, path), join(copy, path));
  else await apply([path]);
  expect(passed, output).toBe(false);
  expect(output).toMatch(/payout.?note/i);
});
