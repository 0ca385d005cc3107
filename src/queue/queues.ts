/**
 * The queues that carry doorbells, on Redis or on Postgres. Everything else in the product knows this interface only.
 * Next: redis-backend.ts and postgres-backend.ts (what differs), enqueuer.ts (who rings), pool.ts (who answers).
 */
import { setMaxListeners } from 'node:events';
import type { Config } from '../config.ts';
import type { Logger } from '../log.ts';
import { warnSeldom } from '../seldom.ts';
import { withinLimit } from '../time-limit.ts';
import { type JobData, type JobName, QUEUE_POOLS, type QueuePool, queueName } from './job.ts';
import { EvictionPolicyError } from './memory-policy.ts';
import { createPostgresQueueBackend } from './postgres-backend.ts';
import type { BackendJob, BackendQueue, BackendWorker } from './queue-backend.ts';
import { createRedisQueueBackend } from './redis-backend.ts';

export interface QueueJob {
  readonly name: JobName;
  readonly data: JobData;
  /**
   * Given by the sweeper. While a job of this id waits, another is not added; while one is active, the last one rung is
   * kept and follows it. Without it every bell is a job of its own.
   */
  readonly deduplicationId?: string;
  /** Jobs without one go first, in order; then those of the lowest number, from 1. */
  readonly priority?: number;
}

export interface QueueDepth {
  readonly queue: string;
  readonly pool: QueuePool;
  readonly lane: number;
  readonly states: {
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
  };
}

export interface Queues {
  readonly backend: 'redis' | 'postgres';
  readonly lanes: number;
  /**
   * Throws EvictionPolicyError when Redis may throw jobs away. One that is away is looked at when it is back: what was
   * accepted is in Postgres, so that nobody has to wait for it.
   */
  check(): Promise<void>;
  /** Adds jobs to one queue. Rejects when they could not be added within the limit; some may have been. */
  add(pool: QueuePool, lane: number, jobs: readonly QueueJob[], limit: { limitMs: number }): Promise<void>;
  depth(pool: QueuePool, lane: number, limit: { limitMs: number }): Promise<QueueDepth>;
  /** Every queue of every pool. */
  depths(limit: { limitMs: number }): Promise<QueueDepth[]>;
  openWorker(
    pool: QueuePool,
    lane: number,
    options: { concurrency: number; answer: (job: BackendJob) => Promise<void> },
  ): BackendWorker;
  /** Gives up what is under way after two seconds: a queue that does not answer must not keep a process alive. */
  close(): Promise<void>;
}

export type QueuesConfig = Pick<Config, 'DATABASE_URL' | 'QUEUE_DATABASE_URL' | 'QUEUE_LANES' | 'REDIS_URL'> &
  Partial<Pick<Config, 'REDIS_CLUSTER'>>;

/** A healthy Redis answers within milliseconds. */
const CHECK_LIMIT_MS = 2_000;

const CLOSE_LIMIT_MS = 2_000;

/**
 * A job whose worker is silent this long is given to another; renewed at half time. Shorter than the library's own half
 * minute: a job is a doorbell, so one that rings twice harms nobody, and one whose worker died is not waited for.
 */
const LOCK_MS = 10_000;
/** How often silent workers are looked for. */
const LOOK_FOR_SILENT_MS = 5_000;

export function createQueues(config: QueuesConfig, log: Logger): Queues {
  const backend = config.REDIS_URL
    ? createRedisQueueBackend({ place: { urls: config.REDIS_URL, cluster: config.REDIS_CLUSTER ?? false }, log })
    : createPostgresQueueBackend({ url: config.QUEUE_DATABASE_URL ?? config.DATABASE_URL, log });
  const queues = new Map<string, BackendQueue>();
  const lanes = config.QUEUE_LANES;

  /** Opened at first use; opened again when the first connection failed for good. */
  async function readyQueue(name: string, signal: AbortSignal): Promise<BackendQueue> {
    let queue = queues.get(name);
    if (!queue) {
      queue = backend.openQueue(name);
      queue.on('error', warnSeldom(log.child({ queue: name }), 'queue connection'));
      queues.set(name, queue);
    }
    try {
      await backend.ready(queue, signal);
      return queue;
    } catch (error) {
      if (signal.aborted) throw error;
      if (queues.get(name) === queue) queues.delete(name);
      queue.close().catch(() => undefined);
      throw error;
    }
  }

  async function addAll(name: string, jobs: readonly QueueJob[], signal: AbortSignal): Promise<void> {
    const queue = await readyQueue(name, signal);
    const given = jobs.map((job) => ({
      name: job.name,
      data: job.data,
      opts:
        job.priority === undefined
          ? backend.jobOptions(job.deduplicationId)
          : { ...backend.jobOptions(job.deduplicationId), priority: job.priority },
    }));
    const [only] = given;
    // Mostly one: a pipeline of one command costs twice as much as the command.
    if (only && given.length === 1) await queue.add(only.name, only.data, only.opts);
    else await queue.addBulk(given);
  }

  async function depth(pool: QueuePool, lane: number, signal: AbortSignal): Promise<QueueDepth> {
    const queue = await readyQueue(queueName(pool, lane), signal);
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
    return {
      queue: `${pool}-${lane}`,
      pool,
      lane,
      states: { waiting: waiting + prioritized, active, delayed, failed },
    };
  }

  return {
    backend: backend.kind,
    lanes,
    async check() {
      try {
        await limited({ what: 'Redis', limitMs: CHECK_LIMIT_MS }, (signal) => backend.check(signal));
      } catch (error) {
        if (error instanceof EvictionPolicyError) throw error;
        log.error({ err: error }, 'the queues do not answer; what is accepted waits in Postgres until they do');
      }
    },
    add: (pool, lane, jobs, { limitMs }) =>
      limited({ what: `queue ${pool}-${lane}`, limitMs }, (signal) => addAll(queueName(pool, lane), jobs, signal)),
    depth: (pool, lane, { limitMs }) =>
      limited({ what: `queue ${pool}-${lane}`, limitMs }, (signal) => depth(pool, lane, signal)),
    depths: ({ limitMs }) =>
      limited({ what: 'the queues', limitMs }, (signal) =>
        Promise.all(
          QUEUE_POOLS.flatMap((pool) => Array.from({ length: lanes }, (_, lane) => depth(pool, lane, signal))),
        ),
      ),
    openWorker(pool, lane, { concurrency, answer }) {
      const worker = backend.openWorker(queueName(pool, lane), answer, {
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: LOOK_FOR_SILENT_MS,
        // Fifteen seconds by default: too long a silence after a datastore came back.
        runRetryDelay: 1_000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      const warn = warnSeldom(log.child({ queue: `${pool}-${lane}` }), 'worker connection');
      worker.on('error', (error: Error) => worker.closing || warn(error));
      return worker;
    },
    async close() {
      const open = [...queues.values()];
      queues.clear();
      const warn = warnSeldom(log, 'queues did not close');
      const limit = { what: 'closing the queues', limitMs: CLOSE_LIMIT_MS };
      await withinLimit(Promise.allSettled(open.map((queue) => queue.close())), limit).catch(warn);
      await withinLimit(backend.close(), limit).catch(warn);
    },
  };
}

/** Said once: a reason of its own for each call would be made with a stack trace that nobody reads. */
const OVER = new Error('The call is over');

/** Whoever still waits for a connection at the limit waits no longer: jobs must not gather behind one that is away. */
async function limited<Answer>(
  limit: { what: string; limitMs: number },
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  // Every queue of every lane listens to it.
  setMaxListeners(0, over.signal);
  try {
    return await withinLimit(work(over.signal), limit);
  } finally {
    over.abort(OVER);
  }
}
