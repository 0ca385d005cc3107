/**
 * `npm run gate -- --times 10`: the gate of one commit, again and again, each time in a fresh clone, every second time beside load. Prints a
 * table of verdicts. Exits 0 when all runs are green and count the same, else 1.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { ROOT } from '../harness/build.ts';
import { besideBusyLoops } from '../harness/busy-loops.ts';
import { type LoggedEnd, runLogged } from '../harness/logged-command.ts';
import { say } from '../harness/progress.ts';
import { runDirectly } from '../run-directly.ts';
import { allAgree, besideOf, type GateRun, readGateLog, tableOf } from './verdicts.ts';

/** As many as the two cores that the gate's time is given for. */
const LOOPS = 2;
/** Beside the repository, where it exists, and beside each clone: what belongs to the checkout and is in no commit. */
const SHARED = join(ROOT, '../shared');

async function main({ times }: { times: number }): Promise<void> {
  const commit = git('rev-parse', 'HEAD');
  const logs = mkdtempSync(join(tmpdir(), 'countinghouse-gate-'));
  say(`the gate at ${commit}, ${times} times; logs in ${logs}`);
  if (git('status', '--porcelain') !== '') say('what is not committed is not part of it');
  const runs: GateRun[] = [];
  for (let run = 1; run <= times; run += 1) {
    const beside = besideOf(run);
    const log = join(logs, `${run}-${beside}.log`);
    const gate = () => playGate({ commit, log });
    const { passed, seconds } = await (beside === 'load' ? besideBusyLoops(LOOPS, gate) : gate());
    runs.push({ run, beside, passed, seconds, ...readGateLog(readFileSync(log, 'utf8')) });
    say(`run ${run} beside ${beside}: ${passed ? 'green' : 'red'} after ${seconds} s`);
  }
  console.log(tableOf(runs).join('\n'));
  console.log(`commit ${commit}; logs in ${logs}`);
  process.exitCode = allAgree(runs) ? 0 : 1;
}

async function playGate({ commit, log }: { commit: string; log: string }): Promise<LoggedEnd> {
  const place = mkdtempSync(join(tmpdir(), 'countinghouse-gate-clone-'));
  // Root's Postgres runs as another account, which passes through this folder.
  chmodSync(place, 0o755);
  try {
    const project = join(place, 'project');
    git('clone', '--quiet', '--no-checkout', ROOT, project);
    git('-C', project, 'checkout', '--quiet', '-B', 'main', commit);
    if (existsSync(SHARED)) cpSync(SHARED, join(place, 'shared'), { recursive: true });
    return await runLogged({ words: ['bash', '.ci/run'], env: { CI: 'true' }, cwd: project, log });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function git(...words: string[]): string {
  return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,3}$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('Expects a whole number from 1 to 999.');
}

const program = new Command('npm run gate --')
  .description('Runs the gate of HEAD in fresh clones, every second time beside load, and compares the verdicts.')
  .option('--times <number>', 'how many times', wholeNumber, 2)
  .showHelpAfterError()
  .action(main);

await runDirectly(import.meta, program);
