/**
 * `npm run faults`: plays every fault against the product in processes, under load, on Redis and on Postgres. Then
 * checks that nothing is lost and nothing happened twice. Each scenario is described in docs/faults.md. Progress goes
 * to standard error. Exits 0 when every rule was kept; 1 when a rule was broken, with the command that repeats it, or
 * when nothing was played.
 */
import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { redisVersion } from '../harness/redis-server.ts';
import { runDirectly } from '../run-directly.ts';
import { type Family, playAll } from './rounds.ts';
import { drawnScenarios, FAMILIES, quickScenarios, SCENARIOS } from './scenarios.ts';
import type { Backend } from './stage.ts';

interface Flags {
  quick?: boolean;
  json?: boolean;
  list?: boolean;
  seed: number;
  scenario?: string[];
  queue?: Backend;
  minutes?: number;
}

const LARGEST_SEED = 2 ** 31 - 1;

async function main(flags: Flags): Promise<void> {
  if (flags.list) return list(flags);
  const { seed } = flags;
  const backends: Backend[] = flags.queue ? [flags.queue] : ['redis', 'postgres'];
  if (backends.includes('redis') && !redisVersion()) {
    console.error(
      'There is no redis-server on PATH. Install it (Debian: apt-get install redis-server), or play on --queue postgres.',
    );
    process.exitCode = 1;
    return;
  }
  const { results, left, seconds } = await playAll(
    backends.map((backend) => familiesFor(flags, backend)),
    {
      seed,
      sharedServer: flags.quick === true,
      limitMs: flags.minutes === undefined ? Number.POSITIVE_INFINITY : flags.minutes * 60_000,
    },
  );
  const failures = results.filter(({ wrong }) => wrong.length > 0);
  const skipped = results.filter(({ skipped: why }) => why !== undefined);
  const passed = results.length - failures.length - skipped.length;
  if (flags.json) {
    const summary = {
      scenarios: results.length,
      passed,
      failed: failures.length,
      skipped: skipped.length,
      left,
      seed,
      seconds,
    };
    console.log(JSON.stringify({ ...summary, failures }));
  } else {
    const counts = `${passed} passed, ${failures.length} failed, ${skipped.length} skipped`;
    console.log(`${counts}${left > 0 ? `, ${left} left for want of time` : ''}, seed ${seed}`);
  }
  process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0;
}

function familiesFor({ scenario, quick, minutes, seed }: Flags, backend: Backend): Family[] {
  if (scenario) return [{ backend, scenarios: SCENARIOS.filter(({ name }) => scenario.includes(name)) }];
  if (quick) return [{ backend, scenarios: quickScenarios(seed, backend) }];
  const families = minutes === undefined ? FAMILIES : drawnScenarios(seed, backend);
  return families.map((scenarios) => ({ backend, scenarios }));
}

function named(name: string, before: string[] = []): string[] {
  if (SCENARIOS.some((one) => one.name === name)) return [...before, name];
  throw new InvalidArgumentError('There is no such scenario; --list names them.');
}

function list({ json }: Flags): void {
  const facts = SCENARIOS.map(({ name, about, only, quick }) => ({ name, about, only, quick: quick === true }));
  if (json) console.log(JSON.stringify(facts));
  else for (const { name, about, only } of facts) console.log(`${name.padEnd(42)} ${about}${only ? ` (${only})` : ''}`);
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,10}$/.test(text) && value <= LARGEST_SEED) return value;
  throw new InvalidArgumentError(`Expects a whole number from 0 to ${LARGEST_SEED}.`);
}

const program = new Command('npm run faults --')
  .description('Plays faults against the product and checks that nothing is lost and nothing happens twice.')
  .option('--quick', 'the cheapest scenarios that reveal most, in less than a minute')
  .addOption(new Option('--scenario <name...>', 'these alone (--list names them)').argParser(named))
  .addOption(new Option('--queue <backend>', 'on this queue backend alone').choices(['redis', 'postgres']))
  .option('--minutes <number>', 'begin none later: as many as there is time for, others with each seed', wholeNumber)
  .option('--seed <number>', 'where and when to strike; a new one without it', wholeNumber, randomInt(LARGEST_SEED))
  .option('--json', 'print one JSON object')
  .option('--list', 'name every scenario, and play none')
  .showHelpAfterError()
  .action(main);

await runDirectly(import.meta, program);
