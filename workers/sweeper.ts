/**
 * Sweeper: rings again for rows that nobody moved in time. Bells are lost when Redis is flushed, when a process dies with
 * them in its buffer, or when the one who answered died; the row's alarm (`due_at`) is what is left, and it is in Postgres.
 *
 * As it rings it pushes the alarm by compare-and-set, so several sweepers at once ring once, and a row that moved meanwhile
 * is left alone. It reads across books and only to read; it decides nothing.
 */
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config.ts';
import type { Forms } from '../src/db/forms.ts';
import type { Pool } from '../src/db/pool.ts';
import type { Uuid } from '../src/ids.ts';
import type { Logger } from '../src/log.ts';
import { byBook } from '../src/db/by-book.ts';
import {
  BEFORE_ALL_BOOKS,
  DUE_DELIVERIES,
  DUE_PENDING_PAYOUTS,
  DUE_PROCESSING_PAYOUTS,
  dropBodies,
  findAgedKeys,
  findBooksWithNotices,
  postponeDueDeliveries,
  postponeDuePayouts,
} from '../src/operations/due-store.ts';
import { laneOf } from '../src/queue/job.ts';
import type { QueueJob, Queues } from '../src/queue/queues.ts';
import type { Rail } from '../src/rails/rail.ts';
import { warnSeldom } from '../src/seldom.ts';
import { withinLimit } from '../src/time-limit.ts';
import { DueEnqueuer, type DueKind, namedAgain, QUEUE_LIMIT_MS } from './enqueue-due.ts';
import { enqueueEndpoints } from './enqueue-endpoints.ts';

export interface SweeperRuntime {
  readonly pool: Pool;
  readonly queues: Pick<Queues, 'add' | 'depth' | 'lanes'>;
  readonly rails: { all(): readonly Pick<Rail, 'name' | 'notices'>[] };
  readonly clock: Clock;
  readonly log: Logger;
  readonly forms: Pick<Forms, 'contracted'>;
  readonly config: Pick<Config, 'SWEEP_INTERVAL_MS' | 'IDEMPOTENCY_BODY_RETENTION_DAYS'>;
}

const dueKinds = (forms: SweeperRuntime['forms']): readonly DueKind[] => [
  {
    name: 'pending payouts',
    pool: 'ledger',
    job: 'payout.reserve',
    againMs: 30_000, // beyond the 10 s that a command may wait for its book
    source: DUE_PENDING_PAYOUTS,
    postpone: postponeDuePayouts,
  },
  {
    name: 'processing payouts',
    pool: 'rails',
    job: 'payout.inquire',
    againMs: 30_000, // beyond the longest call of a rail (10 s) and the commit of its answer
    source: DUE_PROCESSING_PAYOUTS,
    postpone: postponeDuePayouts,
  },
  {
    name: 'webhook deliveries',
    pool: 'webhooks',
    job: 'delivery.send',
    againMs: 60_000, // beyond the longest try (15 s) of a receiver whose others wait for it
    source: DUE_DELIVERIES,
    postpone: (pool, bookId, rows, until) => postponeDueDeliveries(pool, bookId, rows, until, forms),
  },
];

/** Jobs for notices are enqueued in every round. */
const NOTICES_NAMED_MS = 30_000;
/** Books in one page of inboxes. */
const INBOXES_PAGE = 1_000;
/** A round ends some time, however many inboxes there are. */
const INBOX_PAGES = 100;
const KEYS_PAGE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;
const CLOSE_LIMIT_MS = 5_000;

/** Rows rung for in one round, by kind; and how many stored answers were dropped. */
export type Sweep = Readonly<Record<string, number>>;

export interface Sweeper {
  /** One round of every kind, now. Rounds of a kind never overlap: a second call joins the one under way. */
  sweep(): Promise<Sweep>;
  /** No further round; those under way end after their page. */
  close(): Promise<void>;
}

/** One kind's round, or the one that is under way; resolves to how many were enqueued or dropped, and never rejects. */
interface Kind {
  readonly name: string;
  round(): Promise<number>;
  /** Resolves when no round is under way. */
  isIdle(): Promise<unknown>;
}

/** A sweeper that runs by itself: each kind every SWEEP_INTERVAL_MS, so that a rail that does not answer delays its own alone. */
export function startSweeper(runtime: SweeperRuntime): Sweeper {
  const { kinds, ...sweeper } = createKinds(runtime);
  const timers = new Map<string, NodeJS.Timeout>();
  let closed = false;
  const next = (kind: Kind) => {
    if (closed) return;
    const again = () => void kind.round().then(() => next(kind));
    timers.set(kind.name, setTimeout(again, runtime.config.SWEEP_INTERVAL_MS));
  };
  kinds.forEach(next);
  return {
    sweep: sweeper.sweep,
    close() {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      return sweeper.close();
    },
  };
}

/** One that sweeps when it is told to. */
export function createSweeper(runtime: SweeperRuntime): Sweeper {
  const { sweep, close } = createKinds(runtime);
  return { sweep, close };
}

function createKinds(runtime: SweeperRuntime): Sweeper & { kinds: readonly Kind[] } {
  const { pool, queues, clock, log } = runtime;
  let closing = false;

  const kinds: Kind[] = [
    ...dueKinds(runtime.forms).map((kind) => {
      const { name } = kind;
      return kindOf(name, (warn) => {
        const enqueuer = new DueEnqueuer(runtime, kind, warn);
        return () => enqueuer.round(() => closing);
      });
    }),
    kindOf('webhook endpoints', () => () => enqueueEndpoints(runtime)),
    ...runtime.rails.all().map((rail) => kindOf(`notices of ${rail.name}`, () => () => enqueueNotices(rail))),
    kindOf('inboxes', () => enqueueInboxes),
    kindOf('stored answers', () => dropAgedBodies),
  ];

  function kindOf(name: string, sweepOf: (warn: (error: unknown) => void) => () => Promise<number>): Kind {
    const warn = warnSeldom(log, `sweeping ${name} failed`);
    const sweep = sweepOf(warn);
    let underWay: Promise<number> | undefined;
    const round = () =>
      sweep()
        .catch((error: unknown) => {
          warn(error);
          return 0;
        })
        .finally(() => {
          underWay = undefined;
        });
    return { name, round: () => (underWay ??= round()), isIdle: async () => underWay };
  }

  async function sweep(): Promise<Sweep> {
    const swept = await Promise.all(kinds.map(async ({ name, round }) => [name, await round()] as const));
    return Object.fromEntries(swept);
  }

  async function enqueueNotices(rail: Pick<Rail, 'name' | 'notices'>): Promise<number> {
    const waiting = await rail.notices(1);
    if (waiting.length === 0) return 0;
    const notices: QueueJob = { name: 'rail.notices', data: { bookId: '', ids: [rail.name] } };
    const job = namedAgain(notices, { now: clock.now(), namedMs: NOTICES_NAMED_MS });
    await queues.add('rails', laneOf('', queues.lanes), [job], { limitMs: QUEUE_LIMIT_MS });
    return 1;
  }

  /** One job for each book with notices that are due, however many: what a job leaves is enqueued again. */
  async function enqueueInboxes(): Promise<number> {
    const rails = runtime.rails.all().map(({ name }) => name);
    let enqueued = 0;
    let after: Uuid = BEFORE_ALL_BOOKS;
    for (let page = 0; page < INBOX_PAGES && !closing; page++) {
      const now = clock.now();
      const books = await findBooksWithNotices(pool, { now, after, limit: INBOXES_PAGE });
      const due = books.filter((book) => book.due);
      const jobs = new Map<number, QueueJob[]>();
      for (const { bookId } of due) {
        const lane = laneOf(bookId, queues.lanes);
        const job = namedAgain(
          { name: 'rail.notices', data: { bookId, ids: rails } },
          { now, namedMs: NOTICES_NAMED_MS },
        );
        jobs.set(lane, [...(jobs.get(lane) ?? []), job]);
      }
      for (const [lane, ofLane] of jobs) await queues.add('rails', lane, ofLane, { limitMs: QUEUE_LIMIT_MS });
      enqueued += due.length;
      if (books.length < INBOXES_PAGE) break;
      after = books.at(-1)!.bookId;
    }
    return enqueued;
  }

  async function dropAgedBodies(): Promise<number> {
    const before = clock.now() - runtime.config.IDEMPOTENCY_BODY_RETENTION_DAYS * DAY_MS;
    const keys = await findAgedKeys(pool, { before, limit: KEYS_PAGE });
    let dropped = 0;
    for (const [bookId, ofBook] of byBook(keys)) dropped += await dropBodies(pool, bookId, ofBook);
    return dropped;
  }

  return {
    kinds,
    sweep,
    async close() {
      closing = true;
      await withinLimit(Promise.all(kinds.map(({ isIdle }) => isIdle())), {
        what: 'the last rounds',
        limitMs: CLOSE_LIMIT_MS,
      }).catch(warnSeldom(log, 'left a round unfinished'));
    },
  };
}
