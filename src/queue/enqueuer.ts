/**
 * Enqueues jobs for rows that wait to be moved. A lost job only costs time, because the sweeper enqueues the row again.
 * So `enqueue` is never awaited and never throws, and drops rows rather than fill the memory for a queue that does not
 * answer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { failpoint } from '../process/failpoints.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { withinLimit } from '../process/time-limit.ts';
import {
  type JobData,
  type JobForms,
  type JobName,
  packRows,
  partitionOf,
  type QueuePool,
  rowsIn,
  waitsForContract,
} from './job.ts';
import type { QueueJob, Queues } from './queues.ts';

/** The pool, the job and the row: as commands name them in their outcome. */
export interface JobRow {
  readonly pool: string;
  readonly job: string;
  readonly id: string;
  /** Of bulk work: its jobs have a priority, so that those without one go first. */
  readonly behind?: boolean;
}

export interface Enqueuer {
  /**
   * Returns at once. The rows of one flush with the same job name and partition share jobs of up to 100 ids.
   * Before the contract, a job is of one book.
   */
  enqueue(bookId: string, rows: readonly JobRow[]): void;
  /** Flushes the buffer within a limit. Later rows are dropped. */
  close(): Promise<void>;
}

/** Why a row was not enqueued: the buffer was full, the queue did not answer in time, or the enqueuer was closed. */
export type DropReason = 'full' | 'unreachable' | 'closed';

export interface EnqueueCounts {
  enqueued(ids: number): void;
  dropped(ids: number, reason: DropReason): void;
}

export interface EnqueuerOptions {
  readonly queues: Pick<Queues, 'add' | 'partitions'>;
  readonly log: Logger;
  /** Whether multi-book jobs and later jobs may be written. Read at each write: it becomes true while the process runs. */
  readonly forms?: JobForms;
  readonly counts?: EnqueueCounts;
  /** Most ids in memory, buffered and being sent. The default is about 10 MB. */
  readonly capacity?: number;
  readonly flushLimitMs?: number;
  /** Least time between the starts of two flushes, in milliseconds. */
  readonly paceMs?: number;
}

const CAPACITY = 100_000;

/** A healthy queue answers within milliseconds; after this long the queue counts as unreachable. */
const FLUSH_LIMIT_MS = 2_000;

/**
 * A lone row is enqueued at once. A busy process batches rows for 20 ms: another job costs the queue, the producer and
 * the worker many times more than another id in a job (npm run bench -- accept, payouts).
 */
const PACE_MS = 20;

/** A pipeline of this many jobs is a few hundred kilobytes. */
const JOBS_PER_ADD = 500;

const NO_COUNTS: EnqueueCounts = { enqueued() {}, dropped() {} };
const FIRST_FORM: JobForms = { multiBookJobs: false, laterJobs: false };

interface Group {
  readonly pool: QueuePool;
  readonly job: JobName;
  readonly bookId: string;
  readonly behind: boolean;
  readonly ids: Set<string>;
}

export function createEnqueuer(options: EnqueuerOptions): Enqueuer {
  const { queues, forms = FIRST_FORM, counts = NO_COUNTS, capacity = CAPACITY } = options;
  const { flushLimitMs = FLUSH_LIMIT_MS, paceMs = PACE_MS } = options;
  const warn = warnSeldom(options.log, 'jobs dropped; the sweeper will enqueue the rows again');
  let buffer = new Map<string, Group>();
  let inMemory = 0;
  let flushedAt = Number.NEGATIVE_INFINITY;
  let flushing: Promise<void> | undefined;
  let closed = false;

  function drop(ids: number, reason: DropReason, error?: unknown) {
    counts.dropped(ids, reason);
    warn(
      error ??
        new Error(reason === 'full' ? `More than ${capacity} rows wait to be enqueued` : 'The enqueuer is closed'),
    );
  }

  function put(bookId: string, { pool, job, id, behind = false }: JobRow) {
    const key = `${job} ${bookId} ${behind}`;
    let group = buffer.get(key);
    if (!group) {
      group = { pool: pool as QueuePool, job: job as JobName, bookId, behind, ids: new Set() };
      buffer.set(key, group);
    }
    const { size } = group.ids;
    group.ids.add(id);
    inMemory += group.ids.size - size;
  }

  /** A flush takes all rows that came since the last flush, so batches grow with the load. */
  async function flush(): Promise<void> {
    // One turn of the event loop: rows enqueued in the same turn share a job.
    await new Promise(setImmediate);
    while (buffer.size > 0) {
      const tooSoon = flushedAt + paceMs - performance.now();
      if (tooSoon > 0) await delay(tooSoon);
      flushedAt = performance.now();
      const groups = buffer;
      buffer = new Map();
      await Promise.all(jobsByQueue(groups.values(), queues.partitions, forms.multiBookJobs).map(addToQueue));
    }
    flushing = undefined;
  }

  async function addToQueue({ pool, partition, jobs }: QueueLoad): Promise<void> {
    for (let at = 0; at < jobs.length; at += JOBS_PER_ADD) {
      const part = jobs.slice(at, at + JOBS_PER_ADD);
      try {
        await queues.add(pool, partition, part, { limitMs: flushLimitMs });
        failpoint('jobs.enqueue.after');
        finish(part, (ids) => counts.enqueued(ids));
      } catch (error) {
        finish(jobs.slice(at), (ids) => drop(ids, 'unreachable', error));
        return;
      }
    }
  }

  function finish(jobs: readonly QueueJob[], count: (ids: number) => void) {
    const ids = jobs.reduce((sum, job) => sum + rowsIn(job.data), 0);
    inMemory -= ids;
    count(ids);
  }

  return {
    enqueue(bookId, given) {
      const rows = forms.laterJobs ? given : given.filter(({ job }) => !waitsForContract(job, forms));
      if (rows.length === 0) return;
      failpoint('jobs.enqueue.before');
      if (closed) return drop(rows.length, 'closed');
      const room = capacity - inMemory;
      for (const row of room < rows.length ? rows.slice(0, Math.max(room, 0)) : rows) put(bookId, row);
      if (room < rows.length) drop(rows.length - Math.max(room, 0), 'full');
      if (buffer.size > 0) flushing ??= flush();
    },
    async close() {
      closed = true;
      if (!flushing) return;
      await withinLimit(flushing, { what: 'the last flush', limitMs: 2 * flushLimitMs }).catch(warn);
    },
  };
}

/** Behind all jobs without a priority, and beside the first of those that the sweeper puts there. */
const BEHIND = 1;

/** The rows of one job by book: those of bulk work have jobs of their own. */
interface RowsOfJob {
  readonly first: JobData[];
  readonly behind: JobData[];
}

interface QueueLoad {
  readonly pool: QueuePool;
  readonly partition: number;
  readonly jobs: QueueJob[];
}

/** The jobs for each queue: up to 100 ids a job, in order of arrival. */
function jobsByQueue(groups: Iterable<Group>, partitions: number, multiBook: boolean): QueueLoad[] {
  const queues = new Map<string, { pool: QueuePool; partition: number; rows: Map<JobName, RowsOfJob> }>();
  for (const { pool, job, bookId, behind, ids } of groups) {
    const partition = partitionOf(bookId, partitions);
    const key = `${pool}-${partition}`;
    let queue = queues.get(key);
    if (!queue) {
      queue = { pool, partition, rows: new Map() };
      queues.set(key, queue);
    }
    const rows = queue.rows.get(job) ?? { first: [], behind: [] };
    queue.rows.set(job, rows);
    if (behind) rows.behind.push({ bookId, ids: [...ids], behind });
    else rows.first.push({ bookId, ids: [...ids] });
  }
  return [...queues.values()].map(({ pool, partition, rows }) => ({
    pool,
    partition,
    jobs: [...rows].flatMap(([name, { first, behind }]) => [
      ...packRows(name, first, { multiBook }).map((data) => ({ name, data })),
      ...packRows(name, behind, { multiBook }).map((data) => ({ name, data, priority: BEHIND })),
    ]),
  }));
}
