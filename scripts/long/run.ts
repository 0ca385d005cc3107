/**
 * `npm run long`: what the gate leaves to chance, to time and to machines with a browser (docs/gate.md). Goes on to the end. Progress goes
 * to standard error; at the end, what failed with the command that repeats it. Exits 0 when every part that was played passed, else 1.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { InvalidArgumentError, Command as Program } from 'commander';
import { ROOT } from '../harness/build.ts';
import { besideBusyLoops } from '../harness/busy-loops.ts';
import { failuresIn, runLogged } from '../harness/logged-command.ts';
import { isOnPath } from '../harness/programs.ts';
import { say } from '../harness/progress.ts';
import { runDirectly } from '../run-directly.ts';
import { chooseParts, installableFor, missingFor, PARTS, type Part, type PartContext, repeatOf } from './parts.ts';

const SHOWN_LINES = 25;
const LARGEST_SEED = 2 ** 31 - 1;

interface Flags {
  minutes?: number;
  only?: string[];
  seed: number;
  json?: boolean;
  list?: boolean;
}

interface Failure {
  readonly part: string;
  readonly why: readonly string[];
  readonly repeat?: string;
  readonly log?: string;
}

interface PartResult {
  readonly part: string;
  readonly seconds: number;
  readonly failures: readonly Failure[];
}

async function main({ minutes, only, seed, json, list }: Flags): Promise<void> {
  const { played, left } = chooseParts(PARTS, { minutes, only });
  if (list) return printList(minutes === undefined && only === undefined ? PARTS : played, json);
  const commit = commitHere();
  const logs = mkdtempSync(join(tmpdir(), 'countinghouse-long-'));
  say(`commit ${commit}, seed ${seed}; logs in ${logs}`);
  const results: PartResult[] = [];
  for (const part of played) {
    say(`${part.name}: ${part.about}, about ${Math.ceil(part.seconds / 60)} minutes on two quiet cores`);
    const result = await play(part, { seed, propertyFiles: propertyFiles() }, { logs, commit });
    const ended = result.failures.length > 0 ? `${result.failures.length} failed` : 'passed';
    say(`${part.name}: ${ended} after ${result.seconds} s`);
    results.push(result);
  }
  const failures = results.flatMap((result) => result.failures);
  const leftNames = left.map(({ name }) => name);
  if (json) console.log(JSON.stringify({ commit, seed, parts: results, left: leftNames, logs }));
  else printEnd({ results, failures, leftNames });
  process.exitCode = failures.length > 0 || results.length === 0 ? 1 : 0;
}

/** As root on Debian, as .ci/run does. What cannot be installed is missing, and fails its part by name. */
function installByApt(packages: readonly string[]): void {
  if (packages.length === 0 || process.getuid?.() !== 0 || !isOnPath('apt-get')) return;
  say(`installing ${packages.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [
    ['update', '-qq'],
    ['install', '-y', '-qq', ...packages],
  ]) {
    const { status } = spawnSync('apt-get', words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) return;
  }
}

/** Plays every command of the part, also after one that failed. */
async function play(part: Part, context: PartContext, to: { logs: string; commit: string }): Promise<PartResult> {
  installByApt(installableFor(part, { program: isOnPath }));
  const missing = missingFor(part, { script: hasScript, program: isOnPath });
  if (missing.length > 0) return { part: part.name, seconds: 0, failures: [{ part: part.name, why: missing }] };
  const failures: Failure[] = [];
  let seconds = 0;
  const all = async () => {
    for (const [index, command] of part.commands(context).entries()) {
      const log = join(to.logs, `${part.name}-${index + 1}.log`);
      const end = await runLogged({ ...command, env: { CI: 'true', ...command.env }, cwd: ROOT, log });
      seconds += end.seconds;
      if (end.passed) continue;
      const repeat = repeatOf({ commit: to.commit, seed: context.seed, command });
      failures.push({ part: part.name, why: failuresIn(log, { lines: SHOWN_LINES }), repeat, log });
    }
  };
  await (part.besideLoops ? besideBusyLoops(part.besideLoops, all) : all());
  return { part: part.name, seconds, failures };
}

function printEnd(run: { results: readonly PartResult[]; failures: readonly Failure[]; leftNames: string[] }): void {
  for (const { part, why, repeat, log } of run.failures) {
    console.log(`FAILED: ${part}${log ? `, whole log ${log}` : ''}`);
    for (const line of why) console.log(`  ${line}`);
    if (repeat) console.log(`  Repeat: ${repeat}`);
  }
  const failed = run.results.filter(({ failures }) => failures.length > 0).length;
  if (run.leftNames.length > 0) console.log(`Left for want of time: ${run.leftNames.join(', ')}`);
  console.log(`${run.results.length - failed} parts passed, ${failed} failed`);
}

function printList(parts: readonly Part[], json = false): void {
  const facts = parts.map(({ name, about, seconds, within }) => ({ name, about, seconds, within }));
  if (json) console.log(JSON.stringify(facts));
  else
    for (const { name, about, seconds } of facts)
      console.log(`${name.padEnd(16)} ${String(seconds).padStart(5)} s  ${about}`);
}

/** The commit, with a plus where the work tree differs: then the commit alone repeats nothing. */
function commitHere(): string {
  const git = (...words: string[]) => spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
  return git('rev-parse', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
}

function hasScript(name: string): boolean {
  return name in JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
}

/** Models have a part of their own. */
function propertyFiles(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\bfc\.(assert|check)\(/.test(readFileSync(path, 'utf8')))
    .map((path) => relative(ROOT, path))
    .filter((path) => !path.startsWith('test/model/'))
    .sort();
}

function named(name: string, before: string[] = []): string[] {
  if (PARTS.some((part) => part.name === name)) return [...before, name];
  throw new InvalidArgumentError('There is no such part; --list names them.');
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value <= LARGEST_SEED) return value;
  throw new InvalidArgumentError(`Expects a whole number from 0 to ${LARGEST_SEED}.`);
}

const program = new Program('npm run long --')
  .description('Plays what the gate leaves to chance, to time and to machines with a browser. Goes on to the end.')
  .option('--minutes <number>', 'the parts that fit in, on two quiet cores', wholeNumber)
  .option('--only <part...>', 'these alone (--list names them)', named)
  .option('--seed <number>', 'of a run to be repeated; a new one without it', wholeNumber, randomInt(LARGEST_SEED))
  .option('--json', 'print one JSON object')
  .option('--list', 'name the parts, and play none')
  .showHelpAfterError()
  .action(main);

await runDirectly(import.meta, program);
