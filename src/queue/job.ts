/**
 * The job contract: which pools there are, which jobs they answer, what a job carries and which queue carries it. A leaf:
 * it imports nothing, and whoever rings or answers imports it.
 *
 * A job is a doorbell. It carries ids and nothing else; whoever answers reads the rows and acts on their state. So a job
 * may be lost, repeated, late or out of order without harm.
 */

export const JOBS = {
  ledger: ['payout.reserve'],
  rails: ['payout.submit', 'payout.inquire', 'rail.notices'],
  webhooks: ['delivery.send', 'endpoint.drain'],
} as const;

export type QueuePool = keyof typeof JOBS;
export type JobName = (typeof JOBS)[QueuePool][number];

export const QUEUE_POOLS = Object.keys(JOBS) as QueuePool[];

export interface JobData {
  /** Empty where the ids belong to no book (`rail.notices` names rails). */
  bookId: string;
  /** Up to 100 rows of the book. */
  ids: string[];
}

/** As many row ids as one job carries: enough to fill a commit, few enough that a lost job costs little. */
export const IDS_PER_JOB = 100;

/**
 * One queue for each pool and lane. The braces are a hash tag: all keys of a queue live in one slot of a Redis Cluster,
 * and the lanes of a pool spread over its nodes.
 */
export function queueName(pool: QueuePool, lane: number): string {
  return `{${pool}-${lane}}`;
}

/**
 * The lane that carries a book's jobs, so that one book's work meets in one committer. FNV-1a, 32 bits: the same in every
 * process and release, and even over the few bits in which ids differ.
 */
export function laneOf(bookId: string, lanes: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < bookId.length; index++) {
    hash = Math.imul(hash ^ bookId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % lanes;
}
