/**
 * Jobs on Redis: what production runs, on one server or on a cluster. Two connections serve all queues of a process, one
 * that adds and fails fast, one that works and waits as long as it takes; each worker has a third for its blocking read.
 */
import { Queue, Worker } from 'bullmq';
import type { Logger } from '../log.ts';
import { warnSeldom } from '../seldom.ts';
import { unlessAborted } from '../time-limit.ts';
import { checkMemoryPolicy, EvictionPolicyError } from './memory-policy.ts';
import { type BackendQueue, JOB_OPTIONS, KEPT_EVENTS, KEY_PREFIX, type QueueBackend } from './queue-backend.ts';
import { connectRedis, type RedisConnection, type RedisPlace } from './redis-connection.ts';

/** A stopped Redis takes commands and answers none. After this long the connection is dropped, and what waits on it. */
const PRODUCER_SILENCE_MS = 2_000;

/** Longer than the library's longest blocking read (10 s), so that only a dead peer runs into it. */
const WORKER_SILENCE_MS = 30_000;

/** Every queue and worker listens on a connection it shares. Not 0 (no limit): the library adds to this number. */
const SHARERS = 1_000;

export function createRedisQueueBackend({ place, log }: { place: RedisPlace; log: Logger }): QueueBackend {
  const producer = connectRedis(place, {
    connectionName: 'countinghouse-producer',
    // Nothing is kept for later and nothing is sent twice: a bell that cannot be rung now is dropped.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: PRODUCER_SILENCE_MS,
    connectTimeout: PRODUCER_SILENCE_MS,
  });
  producer.on('error', warnSeldom(log, 'redis producer connection'));
  const warnSettings = warnSeldom(log, 'the settings of redis could not be read');
  // At every connection: it may be another server now, or the first one after a start without Redis.
  producer.on('ready', () => {
    checkMemoryPolicy(producer).catch((error) => {
      if (error instanceof EvictionPolicyError) log.error({ err: error }, 'redis may throw jobs away');
      else warnSettings(error);
    });
  });

  /** Opened by the first worker: a process that only rings has no use for it. */
  let consumer: RedisConnection | undefined;
  const openConsumer = () => {
    consumer = connectRedis(place, {
      connectionName: 'countinghouse-worker',
      maxRetriesPerRequest: null,
      socketTimeout: WORKER_SILENCE_MS,
    });
    consumer.setMaxListeners(SHARERS);
    consumer.on('error', warnSeldom(log, 'redis worker connection'));
    return consumer;
  };
  producer.setMaxListeners(SHARERS);

  return {
    kind: 'redis',
    openQueue: (name) =>
      new Queue(name, {
        connection: producer,
        prefix: KEY_PREFIX,
        // Its INFO would be the one command whose failure breaks a queue object for good.
        skipVersionCheck: true,
        streams: { events: { maxLen: KEPT_EVENTS } },
      }) as BackendQueue,
    openWorker: (name, answer, options) =>
      new Worker(name, answer, { ...options, prefix: KEY_PREFIX, connection: consumer ?? openConsumer() }),
    async ready(queue, signal) {
      await untilReady(producer, signal);
      await unlessAborted(queue.waitUntilReady(), signal);
    },
    async check(signal) {
      await untilReady(producer, signal);
      await checkMemoryPolicy(producer);
    },
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

/** Resolves when the connection may be written to; rejects when it never will be, or at the signal. */
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
