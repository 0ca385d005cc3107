/**
 * Gauges about the whole (due, stuck, waiting, queued): read from Postgres and the queues when they are scraped, at most every
 * two seconds and within a limit.
 */
import { Gauge, type Registry } from 'prom-client';
import { readDatabaseTime } from '../db/database-time-store.ts';
import type { Pool } from '../db/pool.ts';
import type { Group } from '../group/group.ts';
import { readBacklog } from '../operations/backlog-store.ts';
import { countBooksNearTotals } from '../operations/lifetime-total-store.ts';
import { WaitingTimes } from '../operations/waiting.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { withinLimit } from '../process/time-limit.ts';
import type { Queues } from '../queue/queues.ts';
import { type Clock, systemClock } from '../values/clock.ts';
import { createGroupGauges } from './group-gauges.ts';

export interface MetricsInputs {
  readonly groups: readonly Group[];
  readonly pool: Pool;
  readonly queues: Pick<Queues, 'depths'>;
  readonly clock: Clock;
  /** This machine's own clock, right or wrong. */
  readonly machineClock?: Clock;
  readonly log: Logger;
}

/** Gauges that are read together. */
interface Scraped {
  read(): Promise<void>;
  /** Removes the values: a stale value is worse than none. */
  remove(): void;
}

/** Scrapes come every few seconds and from several places; one read of the database serves them all. */
const READ_EVERY_MS = 2_000;

/** Totals grow over years, and the read looks at every book: once a minute is enough. */
const READ_TOTALS_EVERY_MS = 60_000;

/**
 * The default timeout of a Prometheus scrape is ten seconds. A gauge that takes longer than this is left out of the
 * scrape.
 */
const READ_LIMIT_MS = 2_000;
/** The rest of it is for the other gauges. */
const SCAN_LIMIT_MS = 500;

/** Reads all of them. One that cannot be read leaves the other's values alone. */
export function createScrapedGauges(inputs: MetricsInputs, registers: Registry[]): () => Promise<void> {
  const rows = createRowGauges(inputs, registers);
  const totals = createTotalsGauge(inputs, registers);
  const queues = createQueueGauge(inputs, registers);
  const clock = createClockGauge(inputs, registers);
  const warn = warnSeldom(inputs.log, 'metrics left out of a scrape');
  return atMostEvery(READ_EVERY_MS, async () => {
    const reading = rows.read().then(clock.read).then(totals);
    await Promise.all([
      withinLimit(reading, { what: 'Postgres', limitMs: READ_LIMIT_MS }).catch((error) => {
        rows.remove();
        clock.remove();
        warn(error);
      }),
      queues.read().catch((error) => {
        queues.remove();
        warn(error);
      }),
    ]);
  });
}

function createRowGauges({ groups, pool, clock }: MetricsInputs, registers: Registry[]): Scraped {
  const oldestDue = new Gauge({
    name: 'countinghouse_due_oldest_seconds',
    help: 'How long the row that is due longest has been waiting for a sweeper to enqueue it; 0 when none is.',
    labelNames: ['kind'],
    registers,
  });
  const oldestWaiting = new Gauge({
    name: 'countinghouse_waiting_oldest_seconds',
    help: 'How long the row that has waited longest for a worker of its pool has waited; 0 when none waits.',
    labelNames: ['pool', 'kind'],
    registers,
  });
  const stuck = new Gauge({
    name: 'countinghouse_stuck_rows',
    help: 'Rows that a bug stopped, waiting for a person (npm run ops -- stuck list). Counted up to 10,000.',
    labelNames: ['kind'],
    registers,
  });
  const ofGroups = createGroupGauges(groups, registers);
  const moved = groups.flatMap((group) => group.moved);
  const waiting = new WaitingTimes({ pool, groups, scanLimitMs: SCAN_LIMIT_MS });
  return {
    async read() {
      const now = clock.now();
      const [backlog, oldest] = await Promise.all([
        readBacklog(pool, moved, now),
        waiting.read(now),
        ofGroups.read(pool, now),
      ]);
      for (const { pool: of, kind, since } of oldest)
        oldestWaiting.set({ pool: of, kind }, since === null ? 0 : Math.max(0, now - since) / 1_000);
      for (const { kind, oldestDueAt, stuck: rows } of backlog) {
        oldestDue.set({ kind }, oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1_000);
        stuck.set({ kind }, rows);
      }
    },
    remove() {
      for (const gauge of [oldestDue, oldestWaiting, stuck]) gauge.reset();
      ofGroups.remove();
    },
  };
}

/** Kept where it cannot be read. */
function createTotalsGauge({ pool }: MetricsInputs, registers: Registry[]): () => Promise<void> {
  const nearTotals = new Gauge({
    name: 'countinghouse_books_near_totals',
    help: 'Books in which more than 2^60 has passed an account: intake ends at 2^61. Counted up to 10,000.',
    registers,
  });
  return atMostEvery(READ_TOTALS_EVERY_MS, async () => nearTotals.set(await countBooksNearTotals(pool)));
}

function createQueueGauge({ queues }: MetricsInputs, registers: Registry[]): Scraped {
  const jobs = new Gauge({
    name: 'countinghouse_queue_jobs',
    help: 'Jobs in the queues.',
    labelNames: ['queue', 'state'],
    registers,
  });
  return {
    async read() {
      for (const { queue, states } of await queues.depths({ limitMs: READ_LIMIT_MS }))
        for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
    },
    remove: () => jobs.reset(),
  };
}

function createClockGauge({ pool, machineClock = systemClock }: MetricsInputs, registers: Registry[]): Scraped {
  const ahead = new Gauge({
    name: 'countinghouse_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of that of Postgres; below 0, behind.",
    registers,
  });
  return {
    async read() {
      const asked = machineClock.now();
      const theirs = await readDatabaseTime(pool);
      // Postgres read its clock between request and answer: the middle is the best estimate.
      ahead.set(((asked + machineClock.now()) / 2 - theirs) / 1_000);
    },
    remove: () => ahead.remove(),
  };
}

/** Shares a run among all calls that come while it runs, and for `milliseconds` after it. */
function atMostEvery(milliseconds: number, run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let until = 0;
  return () => {
    const now = performance.now();
    if (!last || now >= until) {
      until = Number.POSITIVE_INFINITY;
      last = run().finally(() => {
        until = performance.now() + milliseconds;
      });
    }
    return last;
  };
}
