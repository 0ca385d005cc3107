/**
 * The metrics of a process for Prometheus. Histograms are fed where the work is done. Gauges about the whole (due,
 * stuck, unknown, queued) are read from Postgres and the queues when they are scraped, at most every two seconds and
 * within a limit.
 * A book is never a label: the number of books grows with the business, and the number of labels must not.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AuditCounts } from '../audit/audit.ts';
import { readDatabaseTime } from '../db/database-time-store.ts';
import type { Pool } from '../db/pool.ts';
import type { Group } from '../group/group.ts';
import { readBacklog } from '../operations/backlog-store.ts';
import { countBooksNearTotals } from '../operations/lifetime-total-store.ts';
import { WaitingTimes } from '../operations/waiting.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { withinLimit } from '../process/time-limit.ts';
import type { EnqueueCounts } from '../queue/enqueuer.ts';
import type { Queues } from '../queue/queues.ts';
import { type Clock, systemClock } from '../values/clock.ts';
import { type BatchMetrics, createBatchMetrics } from './batch-metrics.ts';
import { createGroupGauges } from './group-gauges.ts';
import { SECONDS } from './metric-buckets.ts';

export interface MetricsSources {
  readonly groups: readonly Group[];
  readonly pool: Pool;
  readonly queues: Pick<Queues, 'depths'>;
  readonly clock: Clock;
  /** This machine's own clock, right or wrong. */
  readonly machineClock?: Clock;
  readonly log: Logger;
}

export interface CheckpointCounts {
  /** A checkpoint was signed. */
  made(): void;
  /** A checkpoint in the database was not trusted. */
  distrusted(): void;
  /** A round through all due books has ended. The journals of `refused` books do not verify. */
  round(refused: number): void;
}

export interface Metrics extends BatchMetrics {
  readonly enqueuer: EnqueueCounts;
  readonly audit: AuditCounts;
  readonly checkpoints: CheckpointCounts;
  /** Sets the number of settings of the database role that do not fit. */
  roleTimeouts(unfit: number): void;
  /** One answered request. `route` is the pattern, never the path. */
  observeRequest(request: { method: string; route: string; status: number }, seconds: number): void;
  render(): Promise<string>;
  readonly contentType: string;
}

/** Scrapes come every few seconds and from several places; one read of the database serves them all. */
const READ_EVERY_MS = 2_000;

/** Totals grow over years, and the read looks at every book: once a minute is enough. */
const READ_TOTALS_EVERY_MS = 60_000;

/** Prometheus gives up after ten seconds by default. A gauge that takes longer than this is left out of the scrape. */
const READ_LIMIT_MS = 2_000;
/** The rest of it is for the other gauges. */
const SCAN_LIMIT_MS = 500;

export function createMetrics({
  groups,
  pool,
  queues,
  clock,
  machineClock = systemClock,
  log,
}: MetricsSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'countinghouse_http_request_seconds',
    help: 'How long a request took, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  // Under the names of 0.2.0 too, for one release: a dashboard may still use them.
  const enqueued = ['countinghouse_job_rows_enqueued_total', 'countinghouse_bells_rung_total'].map(
    (name) => new Counter({ name, help: 'Row ids that the queues have taken.', registers }),
  );
  const dropped = ['countinghouse_job_rows_dropped_total', 'countinghouse_bells_dropped_total'].map(
    (name) =>
      new Counter({
        name,
        help: 'Row ids that the queues did not take; the sweeper enqueues them later.',
        labelNames: ['reason'],
        registers,
      }),
  );
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
  const nearTotals = new Gauge({
    name: 'countinghouse_books_near_totals',
    help: 'Books in which more than 2^60 has passed an account: intake ends at 2^61. Counted up to 10,000.',
    registers,
  });
  const jobs = new Gauge({
    name: 'countinghouse_queue_jobs',
    help: 'Jobs in the queues.',
    labelNames: ['queue', 'state'],
    registers,
  });

  const ofGroups = createGroupGauges(groups, registers);
  const clockAhead = new Gauge({
    name: 'countinghouse_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of that of Postgres; below 0, behind.",
    registers,
  });

  const auditFindings = new Gauge({
    name: 'countinghouse_audit_findings',
    help: 'What the audit found wrong and is still so, by kind; the log names the rows. Counted up to 1,000 a kind.',
    labelNames: ['kind'],
    registers,
  });
  const auditRows = new Counter({
    name: 'countinghouse_audit_rows_total',
    help: 'Rows that the audit looked at.',
    registers,
  });
  const auditRound = new Gauge({
    name: 'countinghouse_audit_last_full_timestamp_seconds',
    help: 'When the audit had last been through every book; until then, when this process began to.',
    registers,
  });
  const checkpointsMade = new Counter({
    name: 'countinghouse_checkpoints_total',
    help: 'Checkpoints that the reports pool signed.',
    registers,
  });
  const checkpointsDistrusted = new Counter({
    name: 'countinghouse_checkpoints_distrusted_total',
    help: 'Checkpoints in the database that were not continued: no key of ours signed them, or what is kept with them is not as it was; the log names them.',
    registers,
  });
  const roleTimeoutsUnfit = new Gauge({
    name: 'countinghouse_role_timeouts_unfit',
    help: 'How many settings of the role of DATABASE_URL, timeouts and others, do not fit; the log names them. Read once a minute.',
    registers,
  });
  const checkpointsRefused = new Gauge({
    name: 'countinghouse_checkpoints_refused',
    help: 'Books that were due and whose journal does not verify, so that nothing was signed; the log names them.',
    registers,
  });

  // Not zero where no audit runs: an alert on the audit's age must not fire there.
  auditRound.remove();

  const moved = groups.flatMap((group) => group.moved);
  const waiting = new WaitingTimes({ pool, groups, scanLimitMs: SCAN_LIMIT_MS });
  async function readRows(): Promise<void> {
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
  }

  async function readClock(): Promise<void> {
    const asked = machineClock.now();
    const theirs = await readDatabaseTime(pool);
    // Postgres read its clock between request and answer: the middle is the best estimate.
    clockAhead.set(((asked + machineClock.now()) / 2 - theirs) / 1_000);
  }

  const readTotals = atMostEvery(READ_TOTALS_EVERY_MS, async () => nearTotals.set(await countBooksNearTotals(pool)));

  async function readQueues(): Promise<void> {
    for (const { queue, states } of await queues.depths({ limitMs: READ_LIMIT_MS })) {
      for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
    }
  }

  const warn = warnSeldom(log, 'metrics left out of a scrape');
  const readAll = atMostEvery(READ_EVERY_MS, async () => {
    await Promise.all([
      withinLimit(readRows().then(readClock).then(readTotals), { what: 'Postgres', limitMs: READ_LIMIT_MS }).catch(
        (error) => {
          // A stale value is worse than none.
          for (const gauge of [oldestDue, oldestWaiting, stuck]) gauge.reset();
          ofGroups.remove();
          clockAhead.remove();
          warn(error);
        },
      ),
      readQueues().catch((error) => {
        jobs.reset();
        warn(error);
      }),
    ]);
  });

  return {
    enqueuer: {
      enqueued(ids) {
        for (const counter of enqueued) counter.inc(ids);
      },
      dropped(ids, reason) {
        for (const counter of dropped) counter.inc({ reason }, ids);
      },
    },
    audit: {
      rows: (count) => auditRows.inc(count),
      findings(byKind) {
        auditFindings.reset();
        for (const [kind, count] of byKind) auditFindings.set({ kind }, count);
      },
      round: () => auditRound.setToCurrentTime(),
    },
    checkpoints: {
      made: () => checkpointsMade.inc(),
      distrusted: () => checkpointsDistrusted.inc(),
      round: (refused) => checkpointsRefused.set(refused),
    },
    roleTimeouts: (unfit) => roleTimeoutsUnfit.set(unfit),
    ...createBatchMetrics(registers),
    observeRequest({ method, route, status }, seconds) {
      requests.observe({ method, route, status }, seconds);
    },
    async render() {
      await readAll();
      return registry.metrics();
    },
    contentType: registry.contentType,
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
