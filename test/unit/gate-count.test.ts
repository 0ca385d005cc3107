/** What the gate says of a run: .ci/count.mjs on reports of .ci/reporter.mjs, one of them of a real run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countinghouse-count-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const aTest = (name: string, seconds: number, state = 'passed') => ({
  name,
  state,
  seconds,
  limitSeconds: 360,
  ...(state === 'failed' && { error: 'Error: no' }),
});
const aFile = (file: string, tests: ReturnType<typeof aTest>[], more = {}) => ({
  project: 'files',
  file,
  seconds: tests.reduce((sum, { seconds }) => sum + seconds, 0),
  state: tests.some(({ state }) => state === 'failed') ? 'failed' : 'passed',
  errors: [],
  suites: [],
  tests,
  ...more,
});

function count(kind: string, ...reports: object[]): { printed: string[]; failures: string } {
  const files = reports.map((report, index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(report));
    return file;
  });
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, '.ci/count.mjs'), kind, ...files], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return { printed: stdout.trimEnd().split('\n'), failures: stderr };
}

test('tests, failed hooks, files that do not load and errors outside of any test are counted and named', () => {
  const { printed, failures } = count('tests', {
    files: [
      aFile('a.test.ts', [aTest('one', 1), aTest('two', 1, 'failed'), aTest('three', 0, 'skipped')]),
      aFile('b.test.ts', [], { state: 'failed', errors: ['SyntaxError: what'] }),
      aFile('c.test.ts', [], { state: 'failed', suites: [{ name: 'a suite', error: 'Error: hook' }] }),
      aFile('d.test.ts', [], { state: 'failed', project: 'pgbouncer' }),
    ],
    unhandled: [{ file: 'a.test.ts', test: 'one', error: 'Error: outside' }],
  });
  expect(printed[0]).toBe('1 5');
  expect(failures.match(/^FAILED: .*/gm)).toEqual([
    'FAILED: a.test.ts: two',
    'FAILED: b.test.ts: the file itself',
    'FAILED: c.test.ts: a suite',
    'FAILED: d.test.ts (pgbouncer): it failed without an error',
    'FAILED: an error outside of any test, while a.test.ts: one ran',
  ]);
});

test('what was skipped is counted by file, with the reason that the names of its suites have', () => {
  const skipped = (name: string) => aTest(`pages (skipped: no /usr/bin/chromium) > ${name}`, 0, 'skipped');
  const files = [
    aFile('a.test.ts', [aTest('one', 1)]),
    aFile('browser.test.ts', [skipped('one'), skipped('two')]),
    aFile('b.test.ts', [aTest('one', 1), aTest('left out', 0, 'skipped')], { project: 'pgbouncer' }),
  ];
  const { printed } = count('tests', { files, unhandled: [] });
  expect(printed.slice(0, 5)).toEqual([
    '2 0',
    '',
    'Skipped, 3 in all:',
    '      2    browser.test.ts: no /usr/bin/chromium',
    '      1    b.test.ts (pgbouncer): no reason in its name',
  ]);
  const whole = { files: [aFile('a.test.ts', [aTest('one', 1)])], unhandled: [] };
  expect(count('tests', whole).printed.join('\n')).not.toContain('Skipped');
});

test('the ten slowest files are named, and each test that used more than a twentieth of its limit', () => {
  const files = Array.from({ length: 12 }, (_, index) =>
    aFile(`${index}.test.ts`, [aTest(`waits ${index}`, index === 3 ? 18.1 : 18 - index)]),
  );
  const { printed } = count('tests', { files, unhandled: [] });
  const slowest = printed.slice(printed.indexOf('Slowest files:') + 1, printed.indexOf('Slowest files:') + 11);
  expect(slowest.map((line) => line.trim().split(/\s+/).at(-1))).toEqual(
    [3, 0, 1, 2, 4, 5, 6, 7, 8, 9].map((index) => `${index}.test.ts`),
  );
  expect(printed.slice(printed.indexOf('More than a twentieth of their limit:') + 1)).toEqual([
    '   18.1 s of 360 s  3.test.ts: waits 3',
  ]);
});

test('what was red and is played once more is called red twice or red once', () => {
  const [once, twice, never] = [
    aFile('once.test.ts', [aTest('one', 1, 'failed')]),
    aFile('twice.test.ts', [aTest('one', 1, 'failed')], { project: 'schedule' }),
    aFile('never.test.ts', [aTest('one', 1)]),
  ];
  const first = { files: [once, twice, never], unhandled: [] };
  expect(count('failed-files', first).printed).toEqual(['files once.test.ts', 'schedule twice.test.ts']);
  const second = { files: [aFile('once.test.ts', [aTest('one', 1)]), twice], unhandled: [] };
  expect(count('again', first, second).printed).toEqual([
    'red once   files once.test.ts',
    'red twice  schedule twice.test.ts',
  ]);
});

test('a failed scenario of faults is named as it was reported', () => {
  const { printed, failures } = count('faults', { passed: 3, failures: [{ scenario: 'worker-killed' }] });
  expect(printed).toEqual(['3 1']);
  expect(failures).toBe('FAILED: {"scenario":"worker-killed"}\n');
});

test('the reporter writes what vitest knows, errors outside of any test included', () => {
  const run = join(folder, 'run');
  const config = join(run, 'vitest.config.mjs');
  const report = join(folder, 'report.json');
  mkdirSync(run);
  writeFileSync(config, 'export default { test: { name: "small" } };');
  writeFileSync(
    join(run, 'small.test.mjs'),
    `const { test, describe, beforeAll } = globalThis;
    test('passes', () => {}, 7_000);
    test('fails', () => { throw new Error('no'); });
    describe('a suite', () => { beforeAll(() => { throw new Error('hook'); }); test('never runs', () => {}); });
    Promise.reject(new Error('outside'));`,
  );
  const environment = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV|TEST_)/.test(name));
  spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--globals', '--root', run, '--config', config, '--reporter', join(ROOT, '.ci/reporter.mjs')],
    ],
    { cwd: run, env: { ...Object.fromEntries(environment), TEST_REPORT: report } },
  );
  const { files, unhandled } = JSON.parse(readFileSync(report, 'utf8'));
  expect(files).toMatchObject([
    {
      project: 'small',
      file: 'small.test.mjs',
      state: 'failed',
      suites: [{ name: 'a suite', error: expect.stringMatching(/^Error: hook/) }],
      tests: [
        { name: 'passes', state: 'passed', limitSeconds: 7 },
        { name: 'fails', state: 'failed', limitSeconds: 5, error: expect.stringMatching(/^Error: no/) },
        { name: 'a suite > never runs', state: 'skipped' },
      ],
    },
  ]);
  expect(unhandled).toMatchObject([{ error: expect.stringMatching(/^Error: outside/) }]);
});
