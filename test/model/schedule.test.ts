/**
 * API, committer, pools and sweeper of several processes, step by step on one thread. Clock, queues, rail, receiver and
 * random source belong to the schedule; the database is real. See docs/models.md.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/process/log.ts';
import { expectDocumentedEvents } from '../support/documented-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { printCounts, printRun, RUN_LIMIT_MS, runOptions, Tally } from './run-options.ts';
import { faultsOf } from './schedule/outcome.ts';
import { Schedule } from './schedule/schedule.ts';

vi.mock('node:timers/promises', async () => {
  const { pause } = await import('./schedule/virtual-time.ts');
  return { setTimeout: pause, default: { setTimeout: pause } };
});

const STEPS_A_SCHEDULE = 600;
/** To shorten the history of a failure, its schedule is played again at these fractions of its length. */
const CUTS = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1];

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.applicationUrl, name: 'test', size: 24, log: createLogger('silent', 'test') });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** The clock of the product's deadlines and pauses, which the schedule moves. */
let virtualNow: () => number = () => 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => virtualNow());
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Played {
  readonly steps: number;
  readonly fingerprint: number;
  readonly faults: readonly string[];
  readonly trace: readonly string[];
  readonly seen: ReadonlyMap<string, number>;
}

async function playOne(seed: number, steps: number): Promise<Played> {
  const schedule = await Schedule.open({ seed, steps, pool, encryptionKey: database.encryptionKey });
  virtualNow = schedule.clock.now;
  const faults: string[] = [];
  try {
    await schedule.play(steps);
  } catch (error) {
    faults.push(String(error));
  }
  faults.push(...(await faultsOf(schedule)));
  const { steps: taken, fingerprint, trace, seen } = schedule.scheduler;
  return { steps: taken, fingerprint, trace, seen, faults };
}

/** The full history of the shortest schedule that still fails. */
async function explain(seed: number, steps: number, first: Played): Promise<string> {
  for (const cut of CUTS) {
    const played = await playOne(seed, Math.ceil(steps * cut));
    if (played.faults.length > 0)
      return [
        `Schedule ${seed}: npm run model -- --only schedule --seed ${seed} --steps ${Math.ceil(steps * cut)}`,
        ...played.trace,
        ...played.faults,
      ].join('\n');
  }
  return [
    `Schedule ${seed} fails now and then: what it depends on is not in the seed. The first time:`,
    ...first.trace,
    ...first.faults,
  ].join('\n');
}

test(
  'in any order and with any faults, everything ends right',
  async () => {
    const options = runOptions({ steps: 2_000 });
    printRun('models, schedule', options);
    let steps = 0;
    const tally = new Tally();
    for (let seed = options.seed; steps < options.steps; seed++) {
      const most = Math.min(STEPS_A_SCHEDULE, options.steps);
      const played = await playOne(seed, most);
      if (played.faults.length > 0) expect.fail(await explain(seed, most, played));
      steps += played.steps;
      tally.add(played.seen);
    }
    await expectDocumentedEvents(database);
    printCounts(`models, schedule: ${steps} steps`, tally);
  },
  RUN_LIMIT_MS,
);

test('the same seed gives the same schedule', async () => {
  const first = await playOne(42, 300);
  const second = await playOne(42, 300);
  expect(second.trace).toEqual(first.trace);
  expect(second.fingerprint).toBe(first.fingerprint);
});
