/**
 * The job contract: the pools, the jobs of each pool, the data of a job and the name of its queue. A leaf module: it
 * imports nothing; producers and workers import it.
 *
 * A job carries ids and nothing else. The worker reads the rows and acts on their state. So a job may be lost,
 * repeated, late or out of order without harm.
 */

export const JOBS = {
  ledger: [
    'payout.reserve',
    'payout.release',
    'payout_batch.release',
    'payout_batch.make',
    'hold.expire',
    'payment.expire',
    'transaction.expire',
    'share.release',
    'payday.settle',
    'dispute.visit',
    'clock.advance',
    'bank_statement.post',
    'bank_match.move',
    'acquirer_report.post',
    'opening.close',
    'fee.begin',
    'fee.collect',
    'book.mirror',
    'credit.take',
    'period.close',
    'statement.make',
  ],
  rails: ['payout.submit', 'payout.inquire', 'rail.notices', 'rail.files'],
  payments: [
    'operation.submit',
    'operation.inquire',
    'acquirer.notices',
    'card.tell',
    'card.inquire',
    'processor.notices',
  ],
  webhooks: ['delivery.send', 'delivery.send_at_once', 'endpoint.drain', 'endpoint.replay'],
  reports: ['report.write', 'reconciliation.run'],
} as const;

export type QueuePool = keyof typeof JOBS;
export type JobName = (typeof JOBS)[QueuePool][number];

export const QUEUE_POOLS = Object.keys(JOBS) as QueuePool[];

/** Rows of one book. Also a job in the form that every version reads. */
export interface JobData {
  /** Empty where the ids belong to no book (`rail.notices` and `rail.files` name rails). */
  bookId: string;
  /** Ids of up to 100 rows of the book. */
  ids: string[];
  /** Of bulk work: it has a turn of its own in its pool, beside other work of the book. Earlier versions do not read it. */
  behind?: boolean;
}

/**
 * A multi-book job: rows of several books, up to 100 in all, so that a hundred quiet books make one job and not a
 * hundred. Written where the installation's forms allow it (db/forms.ts, multiBookJobs).
 */
export interface MultiBookJob {
  books: JobData[];
}

/** A job in a queue, in either form. */
export type QueuedData = JobData | MultiBookJob;

/** Most row ids in one job: enough to fill a commit, few enough that a lost job costs little. */
export const IDS_PER_JOB = 100;

/**
 * Jobs that are always of one book, because a worker takes few of their rows at once: one step of a clock lasts up to a
 * second, a statement of a bank may have a million lines, a match 10,000 items, a report too, and a pool that is mirrored for the first time more, a close
 * verifies a month, a statement adds one up, and each inbox of a rail that finds no free slot waits for the sweeper.
 */
const SINGLE_BOOK_JOBS: ReadonlySet<JobName> = new Set<JobName>([
  'clock.advance',
  'bank_statement.post',
  'bank_match.move',
  'book.mirror',
  'period.close',
  'report.write',
  'reconciliation.run',
  'statement.make',
  'rail.notices',
  'rail.files',
  'acquirer.notices',
  'processor.notices',
]);

/** What may be enqueued (db/forms.ts). Each turns true while the process runs. */
export interface JobForms {
  readonly multiBookJobs: boolean;
  readonly laterJobs: boolean;
}

/**
 * Jobs that 0.3.0 does not know. Its workers would take them from their queues and fail, so they are enqueued once the
 * installation is contracted (db/forms.ts, laterJobs): until then their rows stay due.
 */
const LATER_JOBS: ReadonlySet<JobName> = new Set<JobName>([
  'payout.release',
  'payout_batch.release',
  'payout_batch.make',
  'transaction.expire',
  'bank_statement.post',
  'bank_match.move',
  'acquirer_report.post',
  'opening.close',
  'fee.begin',
  'fee.collect',
  'book.mirror',
  'credit.take',
  'period.close',
  'statement.make',
  'rail.files',
  'card.tell',
  'card.inquire',
  'processor.notices',
  'endpoint.replay',
  'report.write',
  'reconciliation.run',
]);

/** Whether no job of this name may be enqueued yet. */
export function waitsForContract(job: string, { laterJobs }: Pick<JobForms, 'laterJobs'>): boolean {
  return !laterJobs && LATER_JOBS.has(job as JobName);
}

/** The rows of a job by book. Each part is handled by itself. */
export function partsOf(data: QueuedData): readonly JobData[] {
  return 'books' in data ? data.books : [data];
}

export function rowsIn(data: QueuedData): number {
  return partsOf(data).reduce((sum, { ids }) => sum + ids.length, 0);
}

/**
 * The jobs for these rows, which name each book once. A full job is of one book. With `multiBook`, the remaining rows of
 * the books share jobs. These stand before the full jobs, so that quiet books do not wait for a busy one.
 */
export function packRows(job: JobName, rows: Iterable<JobData>, { multiBook }: { multiBook: boolean }): QueuedData[] {
  const mixesBooks = multiBook && !SINGLE_BOOK_JOBS.has(job);
  const ofOneBook: JobData[] = [];
  const shared: JobData[][] = [];
  let room = 0;
  for (const { bookId, ids, behind } of rows) {
    const lane = behind ? { behind } : {};
    let at = 0;
    for (; ids.length - at >= (mixesBooks ? IDS_PER_JOB : 1); at += IDS_PER_JOB)
      ofOneBook.push({ bookId, ids: ids.slice(at, at + IDS_PER_JOB), ...lane });
    if (at >= ids.length) continue;
    const rest = { bookId, ids: ids.slice(at), ...lane };
    if (rest.ids.length > room) {
      shared.push([]);
      room = IDS_PER_JOB;
    }
    shared.at(-1)!.push(rest);
    room -= rest.ids.length;
  }
  return [...shared.map((books) => (books.length === 1 ? books[0]! : { books })), ...ofOneBook];
}

/**
 * The name of a queue: a pool and a partition of its jobs. The braces are a Redis Cluster hash tag: all keys of a queue
 * share one slot, and the partitions of a pool spread over the nodes.
 */
export function queueName(pool: QueuePool, partition: number): string {
  return `{${pool}-${partition}}`;
}

/**
 * The partition of a book's jobs, so that the work of one book meets in one committer. FNV-1a, 32 bits: the same in
 * every process and version, and evenly spread although ids differ in few bits.
 */
export function partitionOf(bookId: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < bookId.length; index++) {
    hash = Math.imul(hash ^ bookId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
