/**
 * Jobs on Redis, one server or a cluster: the backend of production. Two connections serve all queues of a process. The
 * producer's connection fails fast; the workers' connection waits until Redis answers. Each worker has one more connection
 * for its blocking read.
 */
import { Queue, Worker } from 'bullmq';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { unlessAborted } from '../process/time-limit.ts';
import { TLS_REMEDY, tlsFault } from '../process/tls-faults.ts';
import { checkMemoryPolicy, EvictionPolicyError } from './memory-policy.ts';
import { type BackendQueue, type BackendWorker, JOB_OPTIONS, KEPT_EVENTS, type QueueBackend } from './queue-backend.ts';
import { connectRedis, nodeErrorOf, type RedisConnection, type RedisPlace } from './redis-connection.ts';
import { QueueUnfit } from './try-queue.ts';

/** A stopped Redis accepts commands and never answers. After this long the connection and its open commands fail. */
const PRODUCER_SILENCE_MS = 2_000;

/** Longer than BullMQ's longest blocking read (10 s), so that only a dead peer reaches this limit. */
const WORKER_SILENCE_MS = 30_000;

/**
 * Listeners on a shared connection: each queue and worker adds some. Not 0 (no limit), because BullMQ adds to this
 * number.
 */
const LISTENERS_MAX = 1_000;

export interface RedisBackendOptions {
  readonly place: RedisPlace;
  /** Begins every key, so that the keys of a shared Redis show their owner. */
  readonly prefix: string;
  readonly log: Logger;
}

export function createRedisQueueBackend({ place, prefix, log }: RedisBackendOptions): QueueBackend {
  const producer = connectRedis(place, {
    connectionName: 'countinghouse-producer',
    // No command is queued while disconnected, and none is sent twice. A job that cannot be added now is dropped.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: PRODUCER_SILENCE_MS,
    connectTimeout: PRODUCER_SILENCE_MS,
  });
  const warn = warnSeldom(log, 'redis producer connection');
  producer.on('error', warn);
  // No further attempt mends these. Only the start asks.
  const refused = new Promise<never>((_, reject) => {
    producer.on('error', async (error: Error) => {
      const cause = await nodeErrorOf(error, place, PRODUCER_SILENCE_MS);
      const fault = tlsFault(cause);
      if (fault !== undefined) reject(new QueueUnfit(`REDIS_URL: ${fault}\n${TLS_REMEDY}`));
      else if (/^(WRONGPASS|NOAUTH)\b/.test(cause.message)) reject(new QueueUnfit(`REDIS_URL: ${cause.message}`));
    });
  });
  refused.catch(() => undefined);
  const warnSettings = warnSeldom(log, 'the settings of redis could not be read');
  // Checked at every connection: Redis may be another server now, or was unreachable at the start.
  producer.on('ready', () => {
    checkMemoryPolicy(producer).catch((error) => {
      if (error instanceof EvictionPolicyError) log.error({ err: error }, 'redis may throw jobs away');
      else warnSettings(error);
    });
  });

  /** Known once the process has started: then checked at every connection too. */
  let claimedBy: string | undefined;
  let claimed: Promise<void> = Promise.resolve();
  /** While set, the names are another installation's: no job is added, none is taken. */
  let unfit: QueueUnfit | undefined;
  const workers = new Set<BackendWorker>();
  const claimAgain = async (installation: string) => {
    const found = await claimNames(producer, { prefix, installation }).catch((error: unknown) => error);
    if (found instanceof QueueUnfit) {
      log.error({ err: found }, 'this redis is of another installation: no job is added or taken');
      unfit = found;
      // A fetch that waits may bring one more job. Its ids mean nothing here, and the other's sweeper enqueues its rows again.
      for (const worker of workers) void worker.pause(true);
    } else if (found !== undefined) {
      warnSettings(found);
    } else if (unfit !== undefined) {
      unfit = undefined;
      for (const worker of workers) void worker.resume();
    }
  };
  producer.on('ready', () => {
    if (claimedBy !== undefined) claimed = claimAgain(claimedBy);
  });

  /** Opened with the first worker. A process that only enqueues jobs needs no such connection. */
  let consumer: RedisConnection | undefined;
  const openConsumer = () => {
    consumer = connectRedis(place, {
      connectionName: 'countinghouse-worker',
      maxRetriesPerRequest: null,
      socketTimeout: WORKER_SILENCE_MS,
    });
    consumer.setMaxListeners(LISTENERS_MAX);
    consumer.on('error', warnSeldom(log, 'redis worker connection'));
    return consumer;
  };
  producer.setMaxListeners(LISTENERS_MAX);

  return {
    kind: 'redis',
    openQueue: (name) =>
      new Queue(name, {
        connection: producer,
        prefix,
        // The version check calls INFO, the only command whose failure breaks a queue object for good.
        skipVersionCheck: true,
        streams: { events: { maxLen: KEPT_EVENTS } },
      }) as BackendQueue,
    openWorker(name, answer, options) {
      const worker: BackendWorker = new Worker(name, answer, {
        ...{ ...options, prefix, connection: consumer ?? openConsumer() },
      });
      workers.add(worker);
      worker.on('closing', () => workers.delete(worker));
      return worker;
    },
    async ready(queue, signal) {
      await untilReady(producer, signal);
      await unlessAborted(claimed, signal);
      if (unfit !== undefined) throw unfit;
      await unlessAborted(queue.waitUntilReady(), signal);
    },
    async check(signal) {
      await Promise.race([refused, untilReady(producer, signal)]);
      await checkMemoryPolicy(producer);
    },
    async claim(installation) {
      claimedBy = installation;
      await claimNames(producer, { prefix, installation });
    },
    next: (queue) => queue.getRanges(['waiting', 'prioritized'], 0, 0, true),
    jobOptions: (deduplicationId) =>
      deduplicationId === undefined
        ? JOB_OPTIONS
        : { ...JOB_OPTIONS, deduplication: { id: deduplicationId, keepLastIfActive: true } },
    async close() {
      producer.disconnect();
      consumer?.disconnect();
    },
  };
}

/** Resolves when the connection is ready. Rejects when the connection is closed for good, or at the signal. */
function untilReady(connection: RedisConnection, signal: AbortSignal): Promise<void> {
  if (connection.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const look = () => {
      const ended = connection.status === 'end';
      if (connection.status !== 'ready' && !ended && !signal.aborted) return;
      connection.off('ready', look);
      connection.off('end', look);
      signal.removeEventListener('abort', look);
      if (signal.aborted) reject(signal.reason);
      else if (ended) reject(new Error('The connection to Redis is closed'));
      else resolve();
    };
    connection.on('ready', look);
    connection.on('end', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/**
 * Claims the names that begin with `prefix`: a key names the installation to which they belong. Two installations with the same names take each
 * other's jobs: the ids mean nothing to the one that gets them, and the rows of the other wait. Throws QueueUnfit when they are another's.
 */
async function claimNames(
  redis: RedisConnection,
  { prefix, installation }: { prefix: string; installation: string },
): Promise<void> {
  const key = `${prefix}:installation`;
  await redis.set(key, installation, 'NX');
  if ((await redis.get(key)) === installation) return;
  throw new QueueUnfit(
    `REDIS_URL: the names ${prefix}:* in this Redis are another installation's, and each would take the other's jobs.
Give this one a Redis or a number of a database of its own, or names of its own by REDIS_PREFIX. Where it has taken the place of the other for good: DEL ${key}`,
  );
}
