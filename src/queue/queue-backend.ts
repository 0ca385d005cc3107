/** What carries jobs: the queue library over one datastore or another. Next: redis-backend.ts, postgres-backend.ts. */
import type { Job, JobsOptions, Queue, Worker, WorkerOptions } from 'bullmq';
import type { JobData, JobName } from './job.ts';

export type BackendJob = Job<JobData, void, JobName>;
// biome-ignore lint/suspicious/noExplicitAny: the library's types name the datastore; nothing here depends on it
export type BackendQueue = Queue<any, any, any, any, any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type BackendWorker = Worker<JobData, void, JobName, any, any, any>;

/** What differs between Redis and Postgres as queue backends. */
export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  openQueue(name: string): BackendQueue;
  openWorker(
    name: string,
    answer: (job: BackendJob) => Promise<void>,
    options: Omit<WorkerOptions, 'connection'>,
  ): BackendWorker;
  /** Resolves when jobs can be added now. Rejects when this queue object never will be able to, or at the signal. */
  ready(queue: BackendQueue, signal: AbortSignal): Promise<void>;
  /** Throws when the datastore answers and is not set up for jobs. Rejects at the signal when it does not answer. */
  check(signal: AbortSignal): Promise<void>;
  jobOptions(deduplicationId: string | undefined): JobsOptions;
  close(): Promise<void>;
}

/** Retries and history are rows in Postgres: a job is tried once and forgotten. */
export const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

/** Before every key in Redis, so that whoever looks into a shared one knows whose they are. */
export const KEY_PREFIX = 'countinghouse';

/** The library keeps a stream of events that nobody here reads. It must keep some: with none it never trims. */
export const KEPT_EVENTS = 100;
