/**
 * Sweeper: enqueues rows that no worker moved in time, and runs the other sweeps of the groups. Jobs are lost when
 * Redis is flushed, or when a process dies with them in its buffer or in progress; the row's `due_at` is in Postgres.
 *
 * As it enqueues a row it postpones it by compare-and-set, so several sweepers at once enqueue it once, and a row that
 * moved meanwhile is left alone. It reads across books and only reads; it decides nothing.
 */

import type { Acquirer } from '../src/acquirers/acquirer.ts';
import type { Config } from '../src/config.ts';
import type { Pool } from '../src/db/pool.ts';
import type { Group, SweepContext } from '../src/group/group.ts';
import type { DueRule, MovedRows } from '../src/group/moved-rows.ts';
import { sweepAppointment } from '../src/journal/sweep-clocks.ts';
import { dueStatements } from '../src/operations/due-store.ts';
import type { Logger } from '../src/process/log.ts';
import { warnSeldom } from '../src/process/seldom.ts';
import { withinLimit } from '../src/process/time-limit.ts';
import type { Processor } from '../src/processors/processor.ts';
import {
  type JobData,
  type JobForms,
  type JobName,
  packRows,
  partitionOf,
  waitsForContract,
} from '../src/queue/job.ts';
import type { Queues } from '../src/queue/queues.ts';
import type { Clock } from '../src/values/clock.ts';
import { DueEnqueuer, namedAgain, QUEUE_LIMIT_MS } from './enqueue-due.ts';

export interface SweeperRuntime {
  readonly groups: readonly Group[];
  readonly pool: Pool;
  readonly queues: Pick<Queues, 'add' | 'depth' | 'partitions'>;
  readonly rails: SweepContext['rails'];
  readonly acquirers: { all(): readonly Pick<Acquirer, 'name' | 'notices'>[] };
  readonly processors: { all(): readonly Pick<Processor, 'name' | 'notices'>[] };
  readonly clock: Clock;
  readonly log: Logger;
  readonly forms: JobForms;
  readonly config: Pick<Config, 'SWEEP_INTERVAL_MS' | 'IDEMPOTENCY_BODY_RETENTION_DAYS' | 'NOTICE_RETENTION_DAYS'>;
}

const CLOSE_LIMIT_MS = 5_000;

/** How many rows each kind enqueued in one round, or how many stored answers it dropped. */
export type Sweep = Readonly<Record<string, number>>;

export interface Sweeper {
  /** One round of every kind, now. Rounds of a kind never overlap: a second call joins the one under way. */
  sweep(): Promise<Sweep>;
  /** No further round; those under way end after their page. */
  close(): Promise<void>;
}

/** One kind's round, or the one that is under way; resolves to how many were enqueued or dropped, and never rejects. */
interface Kind {
  readonly name: string;
  round(): Promise<number>;
  /** Resolves when no round is under way. */
  isIdle(): Promise<unknown>;
}

/** A sweeper that runs by itself: each kind every SWEEP_INTERVAL_MS, so that a rail that does not answer delays its own kind alone. */
export function startSweeper(runtime: SweeperRuntime): Sweeper {
  const { kinds, ...sweeper } = createKinds(runtime);
  const timers = new Map<string, NodeJS.Timeout>();
  let closed = false;
  const next = (kind: Kind) => {
    if (closed) return;
    const again = () => void kind.round().then(() => next(kind));
    timers.set(kind.name, setTimeout(again, runtime.config.SWEEP_INTERVAL_MS));
  };
  kinds.forEach(next);
  return {
    sweep: sweeper.sweep,
    close() {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      return sweeper.close();
    },
  };
}

/** A sweeper that runs when it is called. */
export function createSweeper(runtime: SweeperRuntime): Sweeper {
  const { sweep, close } = createKinds(runtime);
  return { sweep, close };
}

function createKinds(runtime: SweeperRuntime): Sweeper & { kinds: readonly Kind[] } {
  const { queues, log } = runtime;
  let closing = false;

  const context: SweepContext = {
    ...runtime,
    isClosing: () => closing,
    async enqueue(swept, { pool: to, namedMs, now }) {
      const rows = new Map<number, Map<JobName, JobData[]>>();
      for (const { job, bookId, ids } of swept) {
        if (waitsForContract(job, runtime.forms)) continue;
        const partition = partitionOf(bookId, queues.partitions);
        const ofPartition = rows.get(partition) ?? new Map<JobName, JobData[]>();
        rows.set(partition, ofPartition.set(job, [...(ofPartition.get(job) ?? []), { bookId, ids: [...ids] }]));
      }
      const multiBook = runtime.forms.multiBookJobs;
      for (const [partition, ofPartition] of rows) {
        const jobs = [...ofPartition].flatMap(([name, ofJob]) =>
          packRows(name, ofJob, { multiBook }).map((data) => namedAgain({ name, data }, { now, namedMs })),
        );
        await queues.add(to, partition, jobs, { limitMs: QUEUE_LIMIT_MS });
      }
    },
  };
  const kinds: Kind[] = runtime.groups.flatMap(({ moved, sweeps, appointments = [] }) => [
    ...moved.flatMap((rows) => rows.due.map((rule) => dueKindOf(rows, rule))),
    ...(sweeps?.(context) ?? []).map(({ name, round }) => kindOf(name, () => round)),
    ...appointments.map((one) => sweepAppointment(context, one)).map(({ name, round }) => kindOf(name, () => round)),
  ]);

  function dueKindOf(rows: MovedRows, rule: DueRule): Kind {
    const kind = { ...rule, statements: dueStatements(rows, rule.status) };
    return kindOf(rule.name, (warn) => {
      const enqueuer = new DueEnqueuer(runtime, kind, warn);
      // Before they are postponed: rows whose jobs wait for the contract stay due.
      return async () => (waitsForContract(rule.job, runtime.forms) ? 0 : enqueuer.round(() => closing));
    });
  }

  function kindOf(name: string, sweepOf: (warn: (error: unknown) => void) => () => Promise<number>): Kind {
    const warn = warnSeldom(log, `sweeping ${name} failed`);
    const sweep = sweepOf(warn);
    let underWay: Promise<number> | undefined;
    const round = () =>
      sweep()
        .catch((error: unknown) => {
          warn(error);
          return 0;
        })
        .finally(() => {
          underWay = undefined;
        });
    return { name, round: () => (underWay ??= round()), isIdle: async () => underWay };
  }

  async function sweep(): Promise<Sweep> {
    const swept = await Promise.all(kinds.map(async ({ name, round }) => [name, await round()] as const));
    return Object.fromEntries(swept);
  }

  return {
    kinds,
    sweep,
    async close() {
      closing = true;
      await withinLimit(Promise.all(kinds.map(({ isIdle }) => isIdle())), {
        what: 'the last rounds',
        limitMs: CLOSE_LIMIT_MS,
      }).catch(warnSeldom(log, 'left a round unfinished'));
    },
  };
}
