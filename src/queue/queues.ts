/**
 * The job queues, on Redis or on Postgres. The rest of the product knows only this interface.
 * Next: redis-backend.ts and postgres-backend.ts (what differs), enqueuer.ts (adds jobs), pool.ts (runs them).
 */
import { setMaxListeners } from 'node:events';
import type { Config } from '../config.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { withinLimit } from '../process/time-limit.ts';
import { checkQueues } from './check-queues.ts';
import { type JobName, QUEUE_POOLS, type QueuedData, type QueuePool, queueName } from './job.ts';
import { createPostgresQueueBackend } from './postgres-backend.ts';
import {
  type BackendJob,
  type BackendQueue,
  type BackendWorker,
  KEY_PREFIX,
  type QueueBackend,
} from './queue-backend.ts';
import { createRedisQueueBackend } from './redis-backend.ts';

export interface QueueJob {
  readonly name: JobName;
  readonly data: QueuedData;
  /**
   * Set by the sweeper. While a job with this id waits, no other is added. While one is active, the last one added is
   * kept and runs afterwards. Jobs without a deduplication id are never merged.
   */
  readonly deduplicationId?: string;
  /** Jobs without a priority go first, in order. Then the lowest number goes first, from 1. */
  readonly priority?: number;
}

export interface QueueDepth {
  readonly queue: string;
  readonly pool: QueuePool;
  readonly partition: number;
  readonly states: {
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
  };
}

export interface Queues {
  readonly backend: 'redis' | 'postgres';
  readonly partitions: number;
  /**
   * Throws EvictionPolicyError when Redis may evict jobs, and QueueUnfit when its names are another installation's or a
   * job does not come out again. An unreachable Redis is only logged, and checked once it answers: accepted requests are
   * in Postgres, so the start need not wait.
   */
  check(installation: string): Promise<void>;
  /** Adds jobs to one queue. Rejects when the limit passes first; some of the jobs may have been added. */
  add(pool: QueuePool, partition: number, jobs: readonly QueueJob[], limit: { limitMs: number }): Promise<void>;
  depth(pool: QueuePool, partition: number, limit: { limitMs: number }): Promise<QueueDepth>;
  /** Ids of the jobs that come out next. */
  next(pool: QueuePool, partition: number, limit: { limitMs: number }): Promise<string[]>;
  /** The depth of every queue of every pool. */
  depths(limit: { limitMs: number }): Promise<QueueDepth[]>;
  openWorker(
    pool: QueuePool,
    partition: number,
    options: { concurrency: number; answer: (job: BackendJob) => Promise<void> },
  ): BackendWorker;
  /**
   * Closes the queues. Abandons open calls after two seconds, so that an unreachable backend cannot keep a process
   * alive.
   */
  close(): Promise<void>;
}

export type QueuesConfig = Pick<Config, 'DATABASE_URL' | 'QUEUE_DATABASE_URL' | 'QUEUE_LANES' | 'REDIS_URL'> &
  Partial<Pick<Config, 'REDIS_CLUSTER' | 'REDIS_PREFIX'>>;

/** A healthy Redis answers within milliseconds. */
const CHECK_LIMIT_MS = 2_000;

const CLOSE_LIMIT_MS = 2_000;

/**
 * A job whose worker has not renewed its lock for this long goes to another worker. Workers renew it after half of the
 * time. BullMQ's default is 30 s. A shorter lock is safe, because a job may run twice without harm, and replaces a dead
 * worker sooner.
 */
const LOCK_MS = 10_000;
/** How often BullMQ looks for jobs whose lock has expired. */
const STALLED_CHECK_MS = 5_000;

export function createQueues(config: QueuesConfig, log: Logger): Queues {
  const backend = openBackendOf(config, log);
  const queues = new Map<string, BackendQueue>();
  const partitions = config.QUEUE_LANES;

  /** Opens a queue at first use, and again when its first connection failed for good. */
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
    // Most calls add one job: a pipeline of one command costs twice as much as the command.
    if (only && given.length === 1) await queue.add(only.name, only.data, only.opts);
    else await queue.addBulk(given);
  }

  async function depth(pool: QueuePool, partition: number, signal: AbortSignal): Promise<QueueDepth> {
    const queue = await readyQueue(queueName(pool, partition), signal);
    const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
    return {
      queue: `${pool}-${partition}`,
      pool,
      partition,
      states: { waiting: waiting + prioritized, active, delayed, failed },
    };
  }

  return {
    backend: backend.kind,
    partitions,
    async check(installation) {
      const answers = () => limited({ what: 'Redis', limitMs: CHECK_LIMIT_MS }, (signal) => backend.check(signal));
      await checkQueues({ installation, backend, answers, openTrial: () => openBackendOf(config, log), log });
    },
    add: (pool, partition, jobs, { limitMs }) =>
      limited({ what: `queue ${pool}-${partition}`, limitMs }, (signal) =>
        addAll(queueName(pool, partition), jobs, signal),
      ),
    depth: (pool, partition, { limitMs }) =>
      limited({ what: `queue ${pool}-${partition}`, limitMs }, (signal) => depth(pool, partition, signal)),
    next: (pool, partition, { limitMs }) =>
      limited({ what: `queue ${pool}-${partition}`, limitMs }, async (signal) => {
        const queue = await readyQueue(queueName(pool, partition), signal);
        return backend.next(queue);
      }),
    depths: ({ limitMs }) =>
      limited({ what: 'the queues', limitMs }, (signal) =>
        Promise.all(
          QUEUE_POOLS.flatMap((pool) =>
            Array.from({ length: partitions }, (_, partition) => depth(pool, partition, signal)),
          ),
        ),
      ),
    openWorker(pool, partition, { concurrency, answer }) {
      const worker = backend.openWorker(queueName(pool, partition), answer, {
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        // BullMQ waits 15 s by default, which is too long once the datastore is back.
        runRetryDelay: 1_000,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      });
      const warn = warnSeldom(log.child({ queue: `${pool}-${partition}` }), 'worker connection');
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

function openBackendOf(config: QueuesConfig, log: Logger): QueueBackend {
  const { REDIS_URL: urls, REDIS_CLUSTER: cluster = false, REDIS_PREFIX: prefix = KEY_PREFIX } = config;
  if (urls) return createRedisQueueBackend({ place: { urls, cluster }, prefix, log });
  return createPostgresQueueBackend({ url: config.QUEUE_DATABASE_URL ?? config.DATABASE_URL, log });
}

/** One shared reason: a new Error for each call would capture a stack trace that is never read. */
const OVER = new Error('The call is over');

/** Stops waiting for a connection at the limit. Jobs must not pile up behind an unreachable backend. */
async function limited<Answer>(
  limit: { what: string; limitMs: number },
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  // Every queue of every partition listens to this signal.
  setMaxListeners(0, over.signal);
  try {
    return await withinLimit(work(over.signal), limit);
  } finally {
    over.abort(OVER);
  }
}
