/**
 * Bench `waiting`: how long the oldest of --payouts rows that wait for two pools has waited, as a scrape of the metrics reads it. The
 * sweeper has postponed every row, the oldest ones at random: their due times do not show it. First nobody takes a row, then workers take
 * the oldest of both pools. Each answer is compared with the oldest of all rows.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createPool } from '../../src/db/pool.ts';
import { GROUPS } from '../../src/groups.ts';
import { type Waiting, WaitingTimes } from '../../src/operations/waiting.ts';
import type { Instant } from '../../src/values/clock.ts';
import { say } from '../harness/progress.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { openBook } from './book.ts';
import { analyzeLists, insertManyPayouts, manyPayoutsTime } from './many-payouts-store.ts';
import { type Stage, setStage } from './stage.ts';
import { ask } from './statement-profile-store.ts';
import { percentile, round } from './statistics.ts';
import { oldestOf, STATEMENTS_READ, takeOldest } from './waiting-rows-store.ts';

/** Of a scrape (src/metrics/scraped-gauges.ts). */
const SCAN_LIMIT_MS = 500;
/** Until the scans have ended, on a slow machine. */
const FIRST_READS = 60;
/** What a worker of each pool takes between two scrapes: at 1,000 payouts a second, one every second. */
const TAKEN = 1_000;
const SCRAPE_EVERY_MS = 1_000;
/** The rows of a book that has been used: the scan reads each of them. */
const PADDING = { order: 'x'.repeat(400) };
const POOL_OF = { ledger: 'pending', rails: 'processing' } as const;
type Of = keyof typeof POOL_OF;
const POOLS = Object.keys(POOL_OF) as Of[];

export async function benchWaiting({ closing, seconds, payouts, profile }: BenchContext): Promise<BenchResult> {
  const stage = await setStage(closing, { queue: null, profile, counted: true });
  const bookId = await openBook(stage.pool, 'Waiting');
  const now = manyPayoutsTime(payouts) + 60_000;
  await insertManyPayouts(stage.pool, bookId, {
    count: payouts,
    metadata: [],
    status: `CASE number % 2 WHEN 1 THEN 'pending' ELSE 'processing' END`,
    dueAt: `to_timestamp((${now} + number * 7919 % 30000) / 1000.0)`,
    padding: PADDING,
  });
  await analyze(stage);
  say(`${payouts} payouts wait`);
  const oldest = (of: Of) => oldestOf(stage.pool, bookId, POOL_OF[of]);
  const answers = new Answers(stage, { now, oldest });
  const first = await answers.read();
  for (let reads = 1; reads < FIRST_READS && !answers.isExact; reads++) {
    await delay(SCRAPE_EVERY_MS);
    await answers.read();
  }
  const beforeScans = answers.wrong;
  const quiet: number[] = [];
  for (const until = performance.now() + (seconds * 1_000) / 2; performance.now() < until || quiet.length < 10; ) {
    await delay(100);
    quiet.push(await answers.read());
  }
  const whileQuiet = answers.wrong - beforeScans;
  say('workers take the oldest');
  const taking: number[] = [];
  for (const until = performance.now() + (seconds * 1_000) / 2; performance.now() < until || taking.length < 10; ) {
    for (const of of POOLS) await takeOldest(stage.pool, bookId, { status: POOL_OF[of], count: TAKEN });
    await delay(SCRAPE_EVERY_MS);
    taking.push(await answers.read());
  }
  const statements = await ask(stage.postgres, STATEMENTS_READ);
  return {
    versions: stage.versions,
    checked: { answers_compared: answers.compared },
    fields: {
      payouts,
      first_ms: round(first, 1),
      ...times('quiet', quiet),
      ...times('taken', taking),
      inexact_before_scans: beforeScans,
      inexact_while_taken: answers.wrong - beforeScans - whileQuiet,
      furthest_off_ms: answers.furthestMs,
      statements,
    },
    missed:
      whileQuiet > 0 ? [`${whileQuiet} answers were not the oldest row's after the scans, and nobody took one`] : [],
  };
}

/** Reads as a scrape does, and compares with the rows. */
class Answers {
  compared = 0;
  /** Whether the last read was that of the oldest row in each pool. */
  isExact = false;
  /** Answers of the rows that were due first, in place of all. */
  wrong = 0;
  furthestMs = 0;
  readonly #times: WaitingTimes;
  readonly #facts: { now: Instant; oldest: (of: Of) => Promise<Instant | null> };

  constructor({ pool }: Stage, facts: { now: Instant; oldest: (of: Of) => Promise<Instant | null> }) {
    this.#times = new WaitingTimes({ pool, groups: GROUPS, scanLimitMs: SCAN_LIMIT_MS });
    this.#facts = facts;
  }

  /** Milliseconds. */
  async read(): Promise<number> {
    const begun = performance.now();
    const read = await this.#times.read(this.#facts.now);
    const ms = performance.now() - begun;
    this.isExact = true;
    for (const of of POOLS) this.#compare(read, of, await this.#facts.oldest(of));
    return ms;
  }

  #compare(read: readonly Waiting[], of: Of, oldest: Instant | null): void {
    const { since } = read.find(({ pool, kind }) => pool === of && kind === 'payout')!;
    this.compared++;
    if (since === oldest) return;
    this.wrong++;
    this.isExact = false;
    this.furthestMs = Math.max(this.furthestMs, Math.abs((since ?? this.#facts.now) - (oldest ?? this.#facts.now)));
  }
}

async function analyze({ postgres, log }: Stage): Promise<void> {
  const owner = createPool({ url: postgres.ownerUrl, name: 'bench', size: 1, log });
  await analyzeLists(owner);
  await owner.end();
}

function times(name: string, measured: readonly number[]): Record<string, number> {
  return {
    [`${name}_reads`]: measured.length,
    [`${name}_p50_ms`]: round(percentile(measured, 50), 1),
    [`${name}_p99_ms`]: round(percentile(measured, 99), 1),
  };
}
