/**
 * Jobs on Postgres by BullMQ's own backend: the default of the embedded start. All queues of a process use one small
 * pool to add jobs. All its workers use another pool, with one connection for each worker's LISTEN.
 *
 * The owner's role migrates the schema, and the application's role may not change it. That decides the options of a
 * job. Without an id, or added in bulk without deduplication, a job creates a sequence and temporary tables
 * (add_jobs_bulk, next_job_id of BullMQ 6.7). With an id and a deduplication id of its own it creates none. That path
 * is also faster for the few jobs of a flush: 0.9 ms against 5 ms for one job, 4 ms against 7.5 ms for 32.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createPostgresBackend, Queue, Worker } from 'bullmq';
import pg from 'pg';
import { WRITABLE } from '../db/writable-client.ts';
import type { Logger } from '../process/log.ts';
import { warnSeldom } from '../process/seldom.ts';
import { unlessAborted } from '../process/time-limit.ts';
import { connectionName } from '../process/version.ts';
import { newId } from '../values/ids.ts';
import { findNextJobs } from './next-job-store.ts';
import { type BackendQueue, type BackendWorker, JOB_OPTIONS, KEPT_EVENTS, type QueueBackend } from './queue-backend.ts';

/** Each queue adds jobs with one short statement at a time. */
const PRODUCER_CONNECTIONS = 2;

/** To fetch and finish jobs. Each worker has one more connection for LISTEN. */
const WORKER_CONNECTIONS = 6;

/** A worker asks again after an error. */
const ASK_AGAIN_MS = 500;

/** BullMQ's default schema, and the only one it supports on a pool that the caller passes in. */
const SCHEMA = 'bullmq';

export function createPostgresQueueBackend({ url, log }: { url: string; log: Logger }): QueueBackend {
  const open = (name: string, size: number) => {
    const pool = new pg.Pool({
      // BullMQ's statements name no schema.
      connectionString: withOptions(url, `-c search_path=${SCHEMA}`),
      application_name: connectionName(name),
      max: size,
      connectionTimeoutMillis: 2_000,
      query_timeout: 10_000,
      keepAlive: true,
      ...WRITABLE,
    });
    pool.setMaxListeners(0);
    const warn = warnSeldom(log, 'queue database connection');
    // Postgres may stop while the pool is closing.
    pool.on('error', (error) => pool.ending || warn(error));
    // pg.Pool handles errors of idle connections only, and BullMQ's connection has no error listener while it starts.
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
      return new Worker(name, answer, { ...options, connection: pool }, createUnhurriedBackend) as BackendWorker;
    },
    ready: (queue, signal) => unlessAborted(queue.waitUntilReady(), signal),
    check: () => Promise.resolve(),
    // The queues are in the installation's own database.
    claim: () => Promise.resolve(),
    next: ({ name }) => findNextJobs(producer, name),
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

/**
 * BullMQ asks for the next job at once after every error but a refused connection. Where the error needs no answer from Postgres (a
 * pool that ended, a first connection that failed and is remembered), no timer of the process would fire any more; where it does, as
 * from a standby, Postgres would be asked without end.
 */
const createUnhurriedBackend: typeof createPostgresBackend = (...of) => {
  const backend = createPostgresBackend(...of);
  const [moveToActive, waitForJob] = [backend.moveToActive.bind(backend), backend.waitForJob.bind(backend)];
  backend.moveToActive = (...job) => moveToActive(...job).catch(afterPause);
  backend.waitForJob = (...wait) => waitForJob(...wait).catch(afterPause);
  return backend;
};

async function afterPause(error: unknown): Promise<never> {
  await pause(ASK_AGAIN_MS, undefined, { ref: false });
  throw error;
}

/** A URL of Postgres with further `options`: those that it has stay, since the driver takes the URL's in place of any others. */
function withOptions(url: string, options: string): string {
  const at = url.indexOf('?');
  const parameters = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  const own = parameters.get('options');
  // Of a setting that is named twice, Postgres takes the last value.
  parameters.set('options', own ? `${own} ${options}` : options);
  return `${at < 0 ? url : url.slice(0, at)}?${parameters}`;
}
