/**
 * Jobs on Postgres, by BullMQ's own backend: what the embedded start runs. All queues of a process add over one small
 * pool, and all its workers share another, in which each holds one connection for LISTEN.
 *
 * The schema is migrated by the owner's role, and the application's role may not change it. That shapes the options of a
 * job: one without an id, or a bulk without deduplication, creates a sequence and temporary tables on its way in
 * (add_jobs_bulk, next_job_id of BullMQ 6.7). An id and a deduplication id of its own take the path without, which is
 * also the faster one for the few jobs of a flush: 0.9 ms against 5 ms for one job, 4 ms against 7.5 ms for 32.
 */
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import pg from 'pg';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import { connectionName } from '../release.ts';
import { warnSeldom } from '../seldom.ts';
import { unlessAborted } from '../time-limit.ts';
import { type BackendQueue, type BackendWorker, JOB_OPTIONS, KEPT_EVENTS, type QueueBackend } from './queue-backend.ts';

/** Adding is one short statement at a time for each queue. */
const PRODUCER_CONNECTIONS = 2;

/** Fetching and finishing jobs; beside these each worker holds one for LISTEN. */
const WORKER_CONNECTIONS = 6;

/** The library's schema; it is its default, and the only one for pools that are given to it. */
const SCHEMA = 'bullmq';

export function createPostgresQueueBackend({ url, log }: { url: string; log: Logger }): QueueBackend {
  const open = (name: string, size: number) => {
    const pool = new pg.Pool({
      connectionString: url,
      application_name: connectionName(name),
      // The library's statements name no schema.
      options: `-c search_path=${SCHEMA}`,
      max: size,
      connectionTimeoutMillis: 2_000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    pool.setMaxListeners(0);
    const warn = warnSeldom(log, 'queue database connection');
    // Postgres may go while the last good-byes are still on their way.
    pool.on('error', (error) => pool.ending || warn(error));
    // The pool listens to idle connections only; the library holds one for a moment as it starts, and listens to nothing.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  };
  const producer = open('countinghouse-queue-producer', PRODUCER_CONNECTIONS);
  let consumer: pg.Pool | undefined;
  const openConsumer = () => {
    consumer = open('countinghouse-queue-worker', WORKER_CONNECTIONS);
    return consumer;
  };

  return {
    kind: 'postgres',
    openQueue: (name) =>
      new Queue(
        name,
        { connection: producer, streams: { events: { maxLen: KEPT_EVENTS } } },
        createPostgresBackend,
      ) as BackendQueue,
    openWorker(name, answer, options) {
      const pool = consumer ?? openConsumer();
      pool.options.max = (pool.options.max ?? WORKER_CONNECTIONS) + 1;
      return new Worker(name, answer, { ...options, connection: pool }, createPostgresBackend) as BackendWorker;
    },
    ready: (queue, signal) => unlessAborted(queue.waitUntilReady(), signal),
    check: () => Promise.resolve(),
    jobOptions(deduplicationId) {
      const jobId = newId();
      return deduplicationId === undefined
        ? { ...JOB_OPTIONS, jobId, deduplication: { id: jobId } }
        : { ...JOB_OPTIONS, jobId, deduplication: { id: deduplicationId, keepLastIfActive: true } };
    },
    async close() {
      await Promise.allSettled([producer.end(), consumer?.end()]);
    },
  };
}
