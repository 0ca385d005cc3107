/**
 * The job contract: which pools there are, which jobs they answer, and what a job carries. A leaf: it imports nothing,
 * and whoever rings or answers imports it.
 *
 * A job is a doorbell. It carries ids and nothing else; whoever answers reads the rows and acts on their state. So a job
 * may be lost, repeated, late or out of order without harm.
 */

export const JOBS = {
  ledger: ['payout.reserve'],
  rails: ['payout.submit', 'payout.inquire', 'rail.notices'],
  webhooks: ['delivery.send'],
} as const;

export type QueuePool = keyof typeof JOBS;
export type JobName = (typeof JOBS)[QueuePool][number];

export interface JobData {
  bookId: string;
  /** Up to 100 rows of the book. */
  ids: string[];
}

/** As many row ids as one job carries: enough to fill a commit, few enough that a lost job costs little. */
export const IDS_PER_JOB = 100;
