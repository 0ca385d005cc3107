/**
 * Enqueues the rows of one kind that are due, and postpones them at the same time. Up to a page of rows is enqueued in
 * order, the longest due first. More are enqueued book by book, so that one book's hundred thousand rows delay no other
 * book: each round gives every book its first job at the end of the queue, and its further jobs behind all first jobs
 * (by priority), new work included. Books with less than a full job share jobs.
 */

import { byBook } from '../src/db/by-book.ts';
import type { Pool } from '../src/db/pool.ts';
import type { DueRow, DueRule } from '../src/group/moved-rows.ts';
import { type DueStatements, findDue, findDueByBook, postponeDue } from '../src/operations/due-store.ts';
import { failpoint } from '../src/process/failpoints.ts';
import { forEachRow } from '../src/queue/for-each-row.ts';
import { IDS_PER_JOB, type JobData, type JobForms, packRows, partitionOf, partsOf } from '../src/queue/job.ts';
import type { QueueJob, Queues } from '../src/queue/queues.ts';
import type { Clock, Instant } from '../src/values/clock.ts';
import { deriveId, type Uuid } from '../src/values/ids.ts';
import { further } from '../src/values/progress.ts';

/** Due rows of one status: who moves them, and when to enqueue them again if no worker did. */
export interface DueKind extends DueRule {
  readonly statements: DueStatements;
}

export interface EnqueueDueRuntime {
  readonly pool: Pool;
  readonly queues: Pick<Queues, 'add' | 'depth' | 'partitions'>;
  readonly clock: Clock;
  readonly forms: Pick<JobForms, 'multiBookJobs'>;
}

/** Rows in one page over all books: a few milliseconds to read, ten jobs to enqueue. */
const PAGE = 1_000;
/** Thirty thousand rows: what one worker moves before they are due again. More would only be postponed once more. */
const DEEP = 300;
/** After so many rounds the jobs of the same rows get another name. */
const TIMES_NAMED_ALIKE = 4;
/** Books whose rows are postponed side by side. */
const BOOKS_AT_ONCE = 4;
/** The most walks of a round, however much is due. */
const WALKS = 100;
/** Books whose last job is remembered. */
const BOOKS_KEPT = 10_000;
export const QUEUE_LIMIT_MS = 2_000;

export class DueEnqueuer {
  readonly #runtime: EnqueueDueRuntime;
  readonly #kind: DueKind;
  readonly #onError: (error: unknown) => void;
  /** When a book's last job was enqueued, by its id. */
  readonly #servedAt = new Map<Uuid, Instant>();

  /** `onError` gets the error of one book's rows; they stay due. */
  constructor(runtime: EnqueueDueRuntime, kind: DueKind, onError: (error: unknown) => void) {
    this.#runtime = runtime;
    this.#kind = kind;
    this.#onError = onError;
  }

  /** One round; resolves to how many rows were enqueued. Rejects when nothing can be read or enqueued. */
  async round(isClosing: () => boolean): Promise<number> {
    const { pool, clock } = this.#runtime;
    const oldest = await findDue(pool, this.#kind.statements, { now: clock.now(), limit: PAGE });
    if (oldest.length === 0) return 0;
    const round = new Round(this.#runtime, this.#kind);
    if (oldest.length < PAGE) return this.#enqueue(round, oldest);
    let enqueued = 0;
    for (let walk = 0; walk < WALKS; walk++) {
      const walked = await this.#walk(round, isClosing);
      enqueued += walked;
      // All rows are enqueued, the queues are deep, or another sweeper enqueues them.
      if (walked === 0 || isClosing()) break;
    }
    return enqueued;
  }

  /** Once through all books, each with an equal part. */
  async #walk(round: Round, isClosing: () => boolean): Promise<number> {
    let enqueued = 0;
    let after: Uuid | undefined;
    do {
      const page = { now: this.#runtime.clock.now(), after };
      const { rows, lastBook } = await findDueByBook(this.#runtime.pool, this.#kind.statements, page);
      if (rows.length > 0) enqueued += await this.#enqueue(round, rows);
      after = lastBook && further('books', after, lastBook);
    } while (after !== undefined && !isClosing());
    return enqueued;
  }

  async #enqueue(round: Round, rows: readonly DueRow[]): Promise<number> {
    const { pool, clock, queues } = this.#runtime;
    const { statements, againMs, postpone } = this.#kind;
    const now = clock.now();
    // Read before anything is postponed: rows stay due while their queue is deep or away.
    const taken: [Uuid, readonly DueRow[]][] = [];
    for (const [bookId, ofBook] of byBook(rows)) {
      const room = await round.roomFor(bookId, this.#servedRecently(bookId, now));
      if (room > 0) taken.push([bookId, ofBook.slice(0, room)]);
    }
    if (taken.length === 0) return 0;
    failpoint('sweeper.postpone.before');
    let enqueued = 0;
    await forEachRow(taken, {
      concurrency: BOOKS_AT_ONCE,
      work: async ([bookId, ofBook]) => {
        const rows = { bookId, due: ofBook, until: now + againMs };
        const postponed = new Set(await (postpone ? postpone(pool, rows) : postponeDue(pool, statements, rows)));
        // Postgres returns them in the order of the disk: jobs begin with the rows that have waited longest.
        const ids = ofBook.map(({ id }) => id).filter((id) => postponed.has(id));
        if (ids.length === 0) return;
        round.put(bookId, ids);
        this.#served(bookId, now);
        enqueued += ids.length;
      },
      onError: (_, error) => this.#onError(error),
    });
    failpoint('sweeper.postpone.after');
    await round.send(queues, now);
    failpoint('sweeper.enqueue.after');
    return enqueued;
  }

  #servedRecently(bookId: Uuid, now: Instant): boolean {
    return now - (this.#servedAt.get(bookId) ?? Number.NEGATIVE_INFINITY) < this.#kind.againMs;
  }

  #served(bookId: Uuid, now: Instant): void {
    if (this.#servedAt.size >= BOOKS_KEPT) this.#servedAt.clear();
    this.#servedAt.set(bookId, now);
  }
}

/** Rows to enqueue in one partition. */
interface Unsent {
  /** The first rows of each book. */
  readonly first: JobData[];
  /** Further rows of books: jobs of one book each. */
  readonly later: { readonly data: JobData; readonly priority: number }[];
}

/** The jobs of one round so far: the depth of each partition, and the jobs of each book. */
class Round {
  readonly #runtime: EnqueueDueRuntime;
  readonly #kind: DueKind;
  readonly #depths = new Map<number, number>();
  readonly #jobsOf = new Map<Uuid, number>();
  #unsent = new Map<number, Unsent>();

  constructor(runtime: EnqueueDueRuntime, kind: DueKind) {
    this.#runtime = runtime;
    this.#kind = kind;
  }

  /** Rows of a book that may be enqueued now. A deep partition still takes one job of each book without a recent one. */
  async roomFor(bookId: Uuid, servedRecently: boolean): Promise<number> {
    const partition = partitionOf(bookId, this.#runtime.queues.partitions);
    const depth = this.#depths.get(partition) ?? (await this.#readDepth(partition));
    if (depth <= DEEP) return Number.POSITIVE_INFINITY;
    return servedRecently ? 0 : IDS_PER_JOB;
  }

  put(bookId: Uuid, ids: readonly string[]): void {
    const partition = partitionOf(bookId, this.#runtime.queues.partitions);
    const ofPartition = this.#unsent.get(partition) ?? { first: [], later: [] };
    this.#unsent.set(partition, ofPartition);
    let before = this.#jobsOf.get(bookId) ?? 0;
    for (let at = 0; at < ids.length; at += IDS_PER_JOB) {
      const data = { bookId, ids: ids.slice(at, at + IDS_PER_JOB) };
      if (before === 0) ofPartition.first.push(data);
      else ofPartition.later.push({ data, priority: before });
      before += 1;
    }
    this.#jobsOf.set(bookId, before);
  }

  async send(queues: EnqueueDueRuntime['queues'], now: Instant): Promise<void> {
    const unsent = this.#unsent;
    this.#unsent = new Map();
    const { pool, job: name, againMs } = this.#kind;
    const named = (job: QueueJob) => namedAgain(job, { now, namedMs: againMs * TIMES_NAMED_ALIKE });
    for (const [partition, { first, later }] of unsent) {
      // The same order in every round, so that the same rows make jobs of the same name.
      first.sort((one, other) => (one.bookId < other.bookId ? -1 : 1));
      const firstJobs = packRows(name, first, { multiBook: this.#runtime.forms.multiBookJobs });
      const jobs = [
        ...firstJobs.map((data) => named({ name, data })),
        ...later.map(({ data, priority }) => ({ ...named({ name, data }), priority })),
      ];
      this.#depths.set(partition, (this.#depths.get(partition) ?? 0) + jobs.length);
      await queues.add(pool, partition, jobs, { limitMs: QUEUE_LIMIT_MS });
    }
  }

  async #readDepth(partition: number): Promise<number> {
    const { states } = await this.#runtime.queues.depth(this.#kind.pool, partition, { limitMs: QUEUE_LIMIT_MS });
    this.#depths.set(partition, states.waiting);
    return states.waiting;
  }
}

/**
 * Names a job that is enqueued again while no worker moves its rows. The name covers all its rows: a queue merges
 * repetitions for a while, and no row is left out because another row's job is waiting. Then it gets another name: a
 * queue may keep a job that no worker takes, as BullMQ on Postgres does with the active jobs of a dead worker, for as
 * long as the clock of another worker was ahead.
 *
 * A multi-book job is named after the rows of all its books. When one of them differs the next time, a queue may have
 * the others' rows twice: another job of a hundred rows, and a second answer that changes nothing. The depth of the
 * partition bounds their number.
 */
export function namedAgain(job: QueueJob, { now, namedMs }: { now: Instant; namedMs: number }): QueueJob {
  const [first, ...others] = partsOf(job.data);
  const time = String(Math.floor(now / namedMs));
  const rows = others.flatMap(({ bookId, ids }) => [bookId, ...ids]);
  return { ...job, deduplicationId: deriveId(job.name, first!.bookId, time, ...first!.ids, ...rows) };
}
