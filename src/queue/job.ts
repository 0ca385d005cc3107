/**
 * The job contract: the pools, the jobs of each pool, the data of a job and the name of its queue. A leaf module: it
 * imports nothing; producers and workers import it.
 *
 * A job carries ids and nothing else. The worker reads the rows and acts on their state. So a job may be lost,
 * repeated, late or out of order without harm.
 */

export const JOBS = {
  ledger: ['payout.reserve', 'hold.expire', 'clock.advance'],
  rails: ['payout.submit', 'payout.inquire', 'rail.notices'],
  webhooks: ['delivery.send', 'endpoint.drain'],
} as const;

export type QueuePool = keyof typeof JOBS;
export type JobName = (typeof JOBS)[QueuePool][number];

export const QUEUE_POOLS = Object.keys(JOBS) as QueuePool[];

export interface JobData {
  /** Empty where the ids belong to no book (`rail.notices` names rails). */
  bookId: string;
  /** Ids of up to 100 rows of the book. */
  ids: string[];
}

/** Most row ids in one job: enough to fill a commit, few enough that a lost job costs little. */
export const IDS_PER_JOB = 100;

/**
 * The queue of a pool and lane. The braces are a Redis Cluster hash tag: all keys of a queue share one slot, and the
 * lanes of a pool spread over the nodes.
 */
export function queueName(pool: QueuePool, lane: number): string {
  return `{${pool}-${lane}}`;
}

/**
 * The lane of a book's jobs, so that the work of one book meets in one committer. FNV-1a, 32 bits: the same in every
 * process and release, and evenly spread although ids differ in few bits.
 */
export function laneOf(bookId: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < bookId.length; index++) {
    hash = Math.imul(hash ^ bookId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % lanes;
}
