/**
 * A pool works its jobs with one BullMQ worker for each lane. Rows fail one by one, and the handler deals with them.
 * When a whole job fails (the database is unreachable), the sweeper enqueues its rows again.
 */
import type { Logger } from '../log.ts';
import { Room } from '../room.ts';
import { warnSeldom } from '../seldom.ts';
import { withinLimit } from '../time-limit.ts';
import type { JOBS, JobData, JobName, QueuePool } from './job.ts';
import type { BackendJob, BackendWorker } from './queue-backend.ts';
import type { Queues } from './queues.ts';

export type Handlers<Name extends QueuePool> = Record<(typeof JOBS)[Name][number], (data: JobData) => Promise<unknown>>;

export interface PoolDefinition {
  readonly name: QueuePool;
  /**
   * Jobs in hand at once, in each lane that the process prefers. While jobs wait, BullMQ fetches this many one after
   * the other before it starts the first, which on a busy machine takes some 20 ms a job. So set no more than the work
   * needs.
   */
  readonly concurrency: number;
  /**
   * Most rows in hand for each job of `concurrency`, counted over all lanes and shared by books (room.ts). Only for a
   * pool that waits for no outside party: elsewhere the rows of one slow rail or receiver would fill the room.
   */
  readonly rowsPerJob?: number;
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
      // A job of a later release. Its row is still due, and reaches a process that knows the job.
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
   * Lanes that this process works at full concurrency. All other lanes get one job at a time, so that no lane depends
   * on a process that is not running. By default all lanes are preferred.
   */
  readonly lanes?: readonly number[];
}

export interface RunningPool {
  readonly name: QueuePool;
  inHand(): number;
  /**
   * Stops taking jobs and finishes those in hand. Resolves to false when they did not finish within the limit: their
   * rows reach another process once the job's lock has expired, or when the sweeper enqueues them again.
   */
  close(limit: { limitMs: number }): Promise<boolean>;
}

/** With no job in hand, BullMQ still talks to its datastore on closing, and the datastore may be unreachable. */
const FAREWELL_LIMIT_MS = 1_500;
const REOPEN_AFTER_MS = 1_000;

export function startPool(definition: PoolDefinition, options: StartPoolOptions): RunningPool {
  const { queues } = options;
  const log = options.log.child({ pool: definition.name });
  const warn = warnSeldom(log, 'a job failed; its rows will be enqueued again');
  const full = options.concurrency ?? definition.concurrency;
  const room = new Room(full * (definition.rowsPerJob ?? Number.POSITIVE_INFINITY));
  const preferred = options.lanes && new Set(options.lanes);
  let inHand = 0;
  let onIdle: (() => void) | undefined;

  async function answer(job: BackendJob): Promise<void> {
    const rows = job.data.ids.length;
    inHand += 1;
    await room.enter(job.data.bookId, rows);
    try {
      await definition.answer(job.name, job.data);
    } catch (error) {
      warn(error);
    } finally {
      room.leave(job.data.bookId, rows);
      inHand -= 1;
      if (inHand === 0) onIdle?.();
    }
  }

  function untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      onIdle = resolve;
    });
  }

  const lanes = Array.from({ length: queues.lanes }, (_, lane) =>
    openLane(() =>
      queues.openWorker(definition.name, lane, {
        concurrency: !preferred || preferred.has(lane) ? full : 1,
        answer,
      }),
    ),
  );

  return {
    name: definition.name,
    inHand: () => inHand,
    async close({ limitMs }) {
      const deadline = performance.now() + limitMs;
      let farewell = false;
      const closed = Promise.allSettled(lanes.map((lane) => lane.close())).then(() => {
        farewell = true;
      });
      while (!farewell) {
        // A worker may still take a job whose fetch was under way when the close began, so `inHand` may rise from 0
        // again.
        const idle = inHand === 0;
        const waited = idle ? closed : Promise.race([closed, untilIdle()]);
        const limit = idle ? FAREWELL_LIMIT_MS : Math.max(deadline - performance.now(), 0);
        try {
          await withinLimit(waited, { what: idle ? 'the queue' : `${inHand} jobs in hand`, limitMs: limit });
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
 * A worker whose first connection to Postgres fails stays broken: BullMQ remembers the failure. The lane then
 * closes this worker and opens another.
 */
function openLane(open: () => BackendWorker): { close(): Promise<void> } {
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
