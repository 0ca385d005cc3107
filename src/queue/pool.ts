/**
 * Runs the jobs of a pool, with one BullMQ worker for each partition. The rows of one book in a job are a *part*. Each part
 * is admitted by the room (room.ts), handled and failed independently of the others. The handler deals with the failure of
 * a single row. When a whole part fails (the database is unreachable), the sweeper enqueues its rows again.
 */

import { laneOf } from '../fairness/lane.ts';
import { Room } from '../fairness/room.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { withinLimit } from '../process/time-limit.ts';
import { type JOBS, type JobData, type JobName, partsOf, type QueuePool, rowsIn } from './job.ts';
import type { BackendJob, BackendWorker } from './queue-backend.ts';
import type { Queues } from './queues.ts';

export type Handlers<Name extends QueuePool> = Record<(typeof JOBS)[Name][number], (data: JobData) => Promise<unknown>>;

export interface PoolDefinition {
  readonly name: QueuePool;
  /**
   * Jobs in progress at once, in each partition that the process prefers. While jobs wait, BullMQ fetches this many one
   * after the other before it starts the first; on a busy machine each fetch takes some 20 ms. So set no more than the work
   * needs. A multi-book job counts as one, so fewer jobs with more rows are fetched.
   */
  readonly concurrency: number;
  /**
   * Most rows in progress for each job of `concurrency`, counted over all partitions and divided among books (room.ts).
   * Only for a pool that waits for no external party: in the others, the rows of one slow rail or receiver would fill
   * the room.
   */
  readonly rowsPerJob?: number;
  /** Handles the rows of one book. */
  readonly answer: (name: JobName, data: JobData) => Promise<unknown>;
}

export function definePool<Name extends QueuePool>(
  name: Name,
  { concurrency, rowsPerJob, jobs }: { concurrency: number; rowsPerJob?: number; jobs: Handlers<Name> },
): PoolDefinition {
  const handlers = new Map(Object.entries<(data: JobData) => Promise<unknown>>(jobs));
  return {
    name,
    concurrency,
    rowsPerJob,
    answer(job, data) {
      const handler = handlers.get(job);
      // A job of a later version. Its row is still due, and reaches a process that knows the job.
      if (!handler) throw new Error(`The ${name} pool of this release does not know the job ${job}`);
      return handler(data);
    },
  };
}

export interface StartPoolOptions {
  readonly queues: Queues;
  readonly log: Logger;
  /** Overrides the concurrency of the pool. */
  readonly concurrency?: number;
  /**
   * Partitions that this process works at full concurrency: the option `--lanes`. All others get one job at a time, so that
   * no partition depends on a process that is not running. By default all partitions are preferred.
   */
  readonly partitions?: readonly number[];
  /** See SLOW_MS. */
  readonly slowMs?: number;
}

export interface RunningPool {
  readonly name: QueuePool;
  /** Parts in progress. A job of one book is one part. */
  inHand(): number;
  /** Whether a partition has fewer jobs in progress than it may, so that one that waits is taken. */
  hasRoom(partition: number): boolean;
  /** Jobs that have come out of a partition since the start. */
  taken(partition: number): number;
  /**
   * Stops taking jobs and finishes those in progress, with the parts that outlast their jobs. Resolves to false when they
   * did not finish within the limit: their rows reach another process once the job's lock has expired, or when the sweeper
   * enqueues them again.
   */
  close(limit: { limitMs: number }): Promise<boolean>;
}

/** With no job in progress, BullMQ still connects to its datastore on closing, and the datastore may be unreachable. */
const CLOSE_LIMIT_MS = 1_500;
const REOPEN_AFTER_MS = 1_000;

/**
 * A multi-book job ends without its slow parts after this long, several times what a commit takes on a busy machine.
 * Otherwise one book whose row is locked would occupy a job of each flush, and with them all concurrency of the pool. The
 * slow parts continue in this process. If the process is killed meanwhile, their rows wait for the sweeper.
 */
const SLOW_MS = 2_000;
/** Most rows that outlast their jobs. Beyond it, jobs wait for their parts, since more rows would only fill the memory. */
const OUTLASTING_MAX = 1_000;

export function startPool(definition: PoolDefinition, options: StartPoolOptions): RunningPool {
  const { queues } = options;
  const log = options.log.child({ pool: definition.name });
  const warn = warnSeldom(log, 'a job failed; its rows will be enqueued again');
  const full = options.concurrency ?? definition.concurrency;
  const slowMs = options.slowMs ?? SLOW_MS;
  const room = new Room(full * (definition.rowsPerJob ?? Number.POSITIVE_INFINITY));
  const preferred = options.partitions && new Set(options.partitions);
  const taken = new Map<number, number>();
  const inProgress = new Map<number, number>();
  const concurrencyOf = (partition: number) => (!preferred || preferred.has(partition) ? full : 1);
  let inHand = 0;
  let outlasting = 0;
  let onIdle: (() => void) | undefined;

  /** Never rejects: a part that fails does not affect the others. */
  async function answerPart(name: JobName, part: JobData): Promise<void> {
    const rows = part.ids.length;
    const lane = laneOf(part.bookId, part.behind);
    inHand += 1;
    await room.enter(lane, rows);
    try {
      await definition.answer(name, part);
    } catch (error) {
      warn(error);
    } finally {
      room.leave(lane, rows);
      inHand -= 1;
      if (inHand === 0) onIdle?.();
    }
  }

  async function counted(partition: number, job: BackendJob): Promise<void> {
    taken.set(partition, (taken.get(partition) ?? 0) + 1);
    inProgress.set(partition, (inProgress.get(partition) ?? 0) + 1);
    await answer(job);
    inProgress.set(partition, (inProgress.get(partition) ?? 0) - 1);
  }

  /** Never rejects. */
  async function answer({ name, data }: BackendJob): Promise<void> {
    const parts = partsOf(data);
    let open = rowsIn(data);
    const answered = Promise.all(
      parts.map(async (part) => {
        await answerPart(name, part);
        open -= part.ids.length;
      }),
    );
    // A job of one book has no other to wait for.
    if (parts.length > 1 && (await isSlow(answered))) {
      const left = open;
      if (outlasting + left <= OUTLASTING_MAX) {
        outlasting += left;
        void answered.then(() => {
          outlasting -= left;
        });
        return;
      }
    }
    await answered;
  }

  function isSlow(work: Promise<unknown>): Promise<boolean> {
    return withinLimit(work, { what: 'a part of a job', limitMs: slowMs }).then(
      () => false,
      () => true,
    );
  }

  function untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      onIdle = resolve;
    });
  }

  const partitions = Array.from({ length: queues.partitions }, (_, partition) =>
    openPartition(() =>
      queues.openWorker(definition.name, partition, {
        concurrency: concurrencyOf(partition),
        answer: (job) => counted(partition, job),
      }),
    ),
  );

  return {
    name: definition.name,
    inHand: () => inHand,
    hasRoom: (partition) => (inProgress.get(partition) ?? 0) < concurrencyOf(partition),
    taken: (partition) => taken.get(partition) ?? 0,
    async close({ limitMs }) {
      const deadline = performance.now() + limitMs;
      let workersClosed = false;
      const closed = Promise.allSettled(partitions.map((partition) => partition.close())).then(() => {
        workersClosed = true;
      });
      while (!workersClosed || inHand > 0) {
        // A worker may still take a job whose fetch was in progress when the close began, so `inHand` may rise from 0
        // again. Parts may outlast their jobs, and with them the workers.
        const idle = inHand === 0;
        const waited = idle ? closed : workersClosed ? untilIdle() : Promise.race([closed, untilIdle()]);
        const limit = idle ? CLOSE_LIMIT_MS : Math.max(deadline - performance.now(), 0);
        try {
          await withinLimit(waited, { what: idle ? 'the queue' : `${inHand} parts of jobs in hand`, limitMs: limit });
        } catch (error) {
          if (idle && inHand > 0) continue;
          log.warn({ err: error, inHand }, idle ? 'left the queue without a farewell' : 'jobs left unfinished');
          return idle;
        }
      }
      return true;
    },
  };
}

/**
 * A worker whose first connection to Postgres fails stays broken: BullMQ remembers the failure. The partition then
 * closes this worker and opens another.
 */
function openPartition(open: () => BackendWorker): { close(): Promise<void> } {
  let worker = open();
  let closing = false;
  let again: NodeJS.Timeout | undefined;
  const watch = () => {
    const watched = worker;
    watched.waitUntilReady().catch(() => {
      watched.close(true).catch(() => undefined);
      if (closing) return;
      again = setTimeout(() => {
        worker = open();
        watch();
      }, REOPEN_AFTER_MS);
    });
  };
  watch();
  return {
    async close() {
      closing = true;
      clearTimeout(again);
      await worker.close();
    },
  };
}
