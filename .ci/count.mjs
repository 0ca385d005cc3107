/**
 * Reads reports of tests (.ci/reporter.mjs) and of fault scenarios.
 *
 *   count.mjs tests|faults FILE    prints "PASSED FAILED", then what was skipped, and which tests and files are slow; each failure on
 *                                  standard error
 *   count.mjs failed-files FILE    prints a line "PROJECT FILE" for each file of tests that failed
 *   count.mjs again FIRST SECOND   says of each file that failed in the first report whether the second one has it red, too
 */
import { readFileSync } from 'node:fs';

/** A limit is for what hangs. What needs more than this part of it is next to be red on a slow machine. */
const NEAR_LIMIT = 1 / 20;
const SLOWEST = 10;

const [kind, ...files] = process.argv.slice(2);
const [report, second] = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
const KINDS = {
  tests: () => print({ ...countsOfTests(), notes: [...skipped(), ...slowest(), ...nearTheirLimit()] }),
  faults: () =>
    print({ passed: report.passed, failures: report.failures.map((failure) => JSON.stringify(failure)), notes: [] }),
  'failed-files': () => console.log(failedFiles(report).join('\n')),
  again: () => again(),
};
KINDS[kind]();

function print({ passed, failures, notes }) {
  for (const failure of failures) console.error(`FAILED: ${failure}`);
  console.log([`${passed} ${failures.length}`, ...notes].join('\n'));
}

function titleOf({ project, file }) {
  return project === 'files' ? file : `${file} (${project})`;
}

function countsOfTests() {
  const tests = report.files.flatMap((file) => file.tests);
  return {
    passed: tests.filter(({ state }) => state === 'passed').length,
    failures: [...report.files.flatMap(failuresOf), ...report.unhandled.map(unhandledAs)],
  };
}

function failuresOf(file) {
  const failed = [
    ...file.tests.filter(({ state }) => state === 'failed'),
    ...file.suites,
    ...file.errors.map((error) => ({ name: 'the file itself', error })),
  ];
  if (failed.length === 0 && file.state === 'failed') return [`${titleOf(file)}: it failed without an error`];
  return failed.map(({ name, error }) => `${titleOf(file)}: ${name}\n${error ?? ''}`);
}

/** Vitest ends with 1, though no test failed. The file is the one that ran when the error came: another one may have caused it. */
function unhandledAs({ file, test, error }) {
  return `an error outside of any test, while ${[file ?? 'no file', test].filter(Boolean).join(': ')} ran\n${error}`;
}

/** By file, and why: where a machine lacks what tests need, the name of their suite says so (`describeWithRedis`). */
function skipped() {
  const files = report.files
    .map((file) => ({ file, tests: file.tests.filter(({ state }) => state === 'skipped') }))
    .filter(({ tests }) => tests.length > 0);
  if (files.length === 0) return [];
  const count = files.reduce((sum, { tests }) => sum + tests.length, 0);
  return [
    '',
    `Skipped, ${count} in all:`,
    ...files.map((one) => `${String(one.tests.length).padStart(7)}    ${titleOf(one.file)}: ${reasonsOf(one.tests)}`),
  ];
}

function reasonsOf(tests) {
  const reasons = tests.map(({ name }) => /\(skipped: ([^)]*)\)/.exec(name)?.[1] ?? 'no reason in its name');
  return [...new Set(reasons)].join('; ');
}

function slowest() {
  const files = [...report.files].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  return ['', 'Slowest files:', ...files.map((file) => `${seconds(file.seconds)}  ${titleOf(file)}`)];
}

function nearTheirLimit() {
  const near = report.files
    .flatMap((file) => file.tests.map((test) => ({ file, test })))
    .filter(({ test }) => test.seconds > test.limitSeconds * NEAR_LIMIT)
    .sort((one, other) => other.test.seconds / other.test.limitSeconds - one.test.seconds / one.test.limitSeconds);
  if (near.length === 0) return [];
  return [
    '',
    'More than a twentieth of their limit:',
    ...near.map(
      ({ file, test }) => `${seconds(test.seconds)} of ${test.limitSeconds} s  ${titleOf(file)}: ${test.name}`,
    ),
  ];
}

function seconds(value) {
  return `${value.toFixed(1).padStart(7)} s`;
}

function failedFiles({ files }) {
  return files.filter(({ state }) => state === 'failed').map(({ project, file }) => `${project} ${file}`);
}

function again() {
  const redTwice = new Set(failedFiles(second));
  for (const file of failedFiles(report)) console.log(`${redTwice.has(file) ? 'red twice' : 'red once '}  ${file}`);
}
