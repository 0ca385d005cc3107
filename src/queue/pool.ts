/**
 * Pools answer the bells: one BullMQ worker for each lane of a pool. A job that fails is not a failed row: whoever answers
 * sees to its rows one by one, and a job that fails whole (the database is away) is rung again by the sweeper.
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
   * Jobs in hand at once, in each lane that the process prefers. While jobs wait, BullMQ takes so many one after the other
   * before it answers the first: on a busy machine that is some 20 ms each. So no more than the work needs.
   */
  readonly concurrency: number;
  /**
   * For each of them so many rows in hand at most, in all lanes together and shared by books (room.ts). Only for a pool that
   * waits on nobody outside: elsewhere the rows of one slow rail or receiver would take the room of all others.
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
      // A job of a later release: its row is still due, and a process that knows the job will hear of it.
      if (!handler) throw new Error(`The ${name} pool of this release does not know the job ${job}`);
      return handler(data);
    },
  };
}

export interface StartPoolOptions {
  readonly queues: Queues;
  readonly log: Logger;
  /** Instead of the pool's own. */
  readonly concurrency?: number;
  /**
   * Lanes that this process works at full concurrency; the others at one job, so that no lane waits for a process that is
   * not there. All lanes when none are named.
   */
  readonly lanes?: readonly number[];
}

export interface RunningPool {
  readonly name: QueuePool;
  inHand(): number;
  /**
   * Stops taking jobs and finishes those in hand. Resolves to false when they did not finish within the limit: then they
   * are given to another process once their lock has run out, and rung for by the sweeper.
   */
  close(limit: { limitMs: number }): Promise<boolean>;
}

/** With no job in hand, the library still says good-bye to its datastore, which may be away. */
const FAREWELL_LIMIT_MS = 1_500;
const REOPEN_AFTER_MS = 1_000;

export function startPool(definition: PoolDefinition, options: StartPoolOptions): RunningPool {
  const { queues } = options;
  const log = options.log.child({ pool: definition.name });
  const warn = warnSeldom(log, 'a job failed; its rows will be rung for again');
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
        // A job that was on its way when the order came is still taken, so nothing in hand may be so for a moment only.
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
 * A worker whose first connection to Postgres fails stays broken for good: the library remembers that failure. Then it is
 * thrown away and another is opened.
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
