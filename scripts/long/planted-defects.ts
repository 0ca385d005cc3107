/**
 * A part of `npm run long`: plants a defect of each kind in a copy of the tree, and expects tests to fail. Prints a table. Exits 0 when the
 * tests pass without a defect and find each one, else 1.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { ROOT } from '../harness/build.ts';
import { runLogged } from '../harness/logged-command.ts';
import { say } from '../harness/progress.ts';
import { runDirectly } from '../run-directly.ts';
import { DEFECTS } from './defects.ts';
import { withPlanted } from './plant.ts';

const LEFT_BEHIND = new Set(['node_modules', 'dist', '.git', '.data', 'coverage']);

interface Report {
  files: { file: string; tests: { name: string; state: string }[] }[];
}

async function main(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'countinghouse-defects-'));
  try {
    cpSync(ROOT, copy, { recursive: true, filter: (path) => path === ROOT || !LEFT_BEHIND.has(basename(path)) });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    process.exitCode = (await findAll(copy)) ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function findAll(copy: string): Promise<boolean> {
  const everyTest = [...new Set(DEFECTS.flatMap(({ tests }) => tests))];
  const before = await failedTests(copy, everyTest);
  print('no defect', before.length === 0 ? 'green' : `red: ${before[0]}`, before.length);
  let found = before.length === 0;
  for (const defect of DEFECTS) {
    const failed = await withPlanted(copy, defect, () => failedTests(copy, defect.tests));
    print(defect.kind, failed[0] ?? 'NOT FOUND', failed.length);
    found &&= failed.length > 0;
  }
  return found;
}

/** Names of the tests that fail. Throws where a run leaves no report. */
async function failedTests(copy: string, tests: readonly string[]): Promise<string[]> {
  const [log, report] = [join(copy, 'vitest.log'), join(copy, 'report.json')];
  rmSync(report, { force: true });
  const words = ['run', '--project', 'files', '--reporter=default', '--reporter=./.ci/reporter.mjs', ...tests];
  await runLogged({
    words: [process.execPath, 'node_modules/vitest/vitest.mjs', ...words],
    env: { CI: 'true', TEST_REPORT: report },
    cwd: copy,
    log,
  });
  if (!existsSync(report)) throw new Error(`The tests left no report:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  say(`played ${tests.join(' ')}`);
  return files.flatMap(({ file, tests: all }) =>
    all.filter(({ state }) => state === 'failed').map(({ name }) => `${file}: ${name}`),
  );
}

function print(kind: string, first: string, failed: number): void {
  console.log(`${kind.padEnd(28)} ${String(failed).padStart(4)} failed  ${first}`);
}

const program = new Command('planted-defects')
  .description('Plants a defect of each kind in a copy of the tree, and expects the tests to find it.')
  .action(main);

await runDirectly(import.meta, program);
