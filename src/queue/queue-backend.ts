/** The queue backend: BullMQ over Redis or Postgres. Next: redis-backend.ts, postgres-backend.ts. */
import type { Job, JobsOptions, Queue, Worker, WorkerOptions } from 'bullmq';
import type { JobName, QueuedData } from './job.ts';

export type BackendJob = Job<QueuedData, void, JobName>;
// biome-ignore lint/suspicious/noExplicitAny: the library's types name the datastore; nothing here depends on it
export type BackendQueue = Queue<any, any, any, any, any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type BackendWorker = Worker<QueuedData, void, JobName, any, any, any>;

/** What differs between Redis and Postgres as queue backends. */
export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  openQueue(name: string): BackendQueue;
  openWorker(
    name: string,
    answer: (job: BackendJob) => Promise<void>,
    options: Omit<WorkerOptions, 'connection'>,
  ): BackendWorker;
  /** Resolves when jobs can be added now. Rejects at the signal, or when this queue object is broken for good. */
  ready(queue: BackendQueue, signal: AbortSignal): Promise<void>;
  /** Throws when the datastore answers and is not configured for jobs. Rejects at the signal when no answer came. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * States whose the names in the datastore are. Throws QueueUnfit when they are another installation's: each would take
   * the other's jobs.
   */
  claim(installation: string): Promise<void>;
  /** Ids of the jobs that come out next: the first, or on Redis the first without a priority and the first with one. */
  next(queue: BackendQueue): Promise<string[]>;
  jobOptions(deduplicationId: string | undefined): JobsOptions;
  close(): Promise<void>;
}

/** Retries and history are rows in Postgres, so a job has one attempt and is removed afterwards. */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** The prefix of every key in Redis unless REDIS_PREFIX names another, so that the keys of a shared Redis show their owner. */
export const KEY_PREFIX = 'countinghouse';

/**
 * BullMQ keeps a stream of events that Countinghouse does not read. The length must not be 0: BullMQ would then never
 * trim.
 */
export const KEPT_EVENTS = 100;
