/**
 * Sweeper: rings again for rows that nobody moved in time. Bells are lost when Redis is flushed, when a process dies with
 * them in its buffer, or when the one who answered died; the row's alarm (`due_at`) is what is left, and it is in Postgres.
 *
 * As it rings it pushes the alarm by compare-and-set, so several sweepers at once ring once, and a row that moved meanwhile
 * is left alone. It reads across books and only to read; it decides nothing.
 */
import type { Clock, Instant } from '../src/clock.ts';
import type { Config } from '../src/config.ts';
import type { Pool } from '../src/db/pool.ts';
import { failpoint } from '../src/failpoints.ts';
import { deriveId } from '../src/ids.ts';
import type { Logger } from '../src/log.ts';
import { byBook } from '../src/operations/by-book.ts';
import {
  type DueRow,
  dropBodies,
  findAgedKeys,
  findDueDeliveries,
  findDuePayouts,
  pushDueDeliveries,
  pushDuePayouts,
} from '../src/operations/due-store.ts';
import { forEachRow } from '../src/queue/for-each-row.ts';
import { IDS_PER_JOB, type JobName, laneOf, type QueuePool } from '../src/queue/job.ts';
import type { QueueJob, Queues } from '../src/queue/queues.ts';
import type { Rail } from '../src/rails/rail.ts';
import { warnSeldom } from '../src/seldom.ts';
import { withinLimit } from '../src/time-limit.ts';

export interface SweeperRuntime {
  readonly pool: Pool;
  readonly queues: Pick<Queues, 'add' | 'depth' | 'lanes'>;
  readonly rails: { all(): readonly Pick<Rail, 'name' | 'notices'>[] };
  readonly clock: Clock;
  readonly log: Logger;
  readonly config: Pick<Config, 'SWEEP_INTERVAL_MS' | 'IDEMPOTENCY_BODY_RETENTION_DAYS'>;
}

/** Rows that ring when they are due: who answers, and when to ring again if nobody does. */
interface Alarm {
  readonly name: string;
  readonly pool: QueuePool;
  readonly job: JobName;
  readonly pushMs: number;
  find(pool: Pool, page: { now: Instant; limit: number }): Promise<DueRow[]>;
  push(pool: Pool, bookId: string, rows: readonly DueRow[], until: Instant): Promise<string[]>;
}

const ALARMS: readonly Alarm[] = [
  {
    name: 'pending payouts',
    pool: 'ledger',
    job: 'payout.reserve',
    pushMs: 30_000, // beyond the 10 s that a command may wait for its book
    find: (pool, page) => findDuePayouts(pool, { ...page, status: 'pending' }),
    push: pushDuePayouts,
  },
  {
    name: 'processing payouts',
    pool: 'rails',
    job: 'payout.inquire',
    pushMs: 30_000, // beyond the longest call of a rail (10 s) and the commit of its answer
    find: (pool, page) => findDuePayouts(pool, { ...page, status: 'processing' }),
    push: pushDuePayouts,
  },
  {
    name: 'webhook deliveries',
    pool: 'webhooks',
    job: 'delivery.send',
    pushMs: 60_000, // beyond the longest try (15 s) of a receiver whose others wait for it
    find: findDueDeliveries,
    push: pushDueDeliveries,
  },
];

/** After so many pushes the bells of the same rows get another name. */
const PUSHES_NAMED_ALIKE = 4;
/** Notices ring in every round. */
const NOTICES_NAMED_MS = 30_000;
/** Rows in one page: a few milliseconds to read, ten jobs to ring. */
const PAGE = 1_000;
/** Half a million rows wait in so many jobs: ringing more would only repeat them. */
const DEEP = 5_000;
/** Books whose rows are pushed side by side. */
const BOOKS_AT_ONCE = 4;
/** A page of one round must not keep the next round waiting for ever. */
const PAGES = 100;
const QUEUE_LIMIT_MS = 2_000;
const KEYS_PAGE = 500;
const DAY_MS = 24 * 60 * 60 * 1_000;
const CLOSE_LIMIT_MS = 5_000;

/** Rows rung for in one round, by kind; and how many stored answers were dropped. */
export type Sweep = Readonly<Record<string, number>>;

export interface Sweeper {
  /** One round, now. Rounds never overlap: a second call joins the one under way. */
  sweep(): Promise<Sweep>;
  /** No further round; the one under way ends after its page. */
  close(): Promise<void>;
}

/** A sweeper that runs by itself, every SWEEP_INTERVAL_MS. */
export function startSweeper(runtime: SweeperRuntime): Sweeper {
  const sweeper = createSweeper(runtime);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const next = () => {
    if (!closed) timer = setTimeout(() => void sweeper.sweep().then(next), runtime.config.SWEEP_INTERVAL_MS);
  };
  next();
  return {
    sweep: sweeper.sweep,
    close() {
      closed = true;
      clearTimeout(timer);
      return sweeper.close();
    },
  };
}

/** One that sweeps when it is told to. */
export function createSweeper(runtime: SweeperRuntime): Sweeper {
  const { pool, queues, clock, log } = runtime;
  let round: Promise<Sweep> | undefined;
  let closing = false;

  const kinds: { name: string; sweep: () => Promise<number> }[] = [
    ...ALARMS.map((alarm) => ({ name: alarm.name, sweep: () => ringDue(alarm) })),
    { name: 'rail notices', sweep: ringForNotices },
    { name: 'stored answers', sweep: dropAgedBodies },
  ];
  const warnings = new Map(kinds.map(({ name }) => [name, warnSeldom(log, `sweeping ${name} failed`)]));

  async function sweepAll(): Promise<Sweep> {
    const swept = await Promise.all(
      kinds.map(async ({ name, sweep }) => {
        try {
          return [name, await sweep()] as const;
        } catch (error) {
          warnings.get(name)?.(error);
          return [name, 0] as const;
        }
      }),
    );
    return Object.fromEntries(swept);
  }

  async function ringDue(alarm: Alarm): Promise<number> {
    let rung = 0;
    for (let page = 0; page < PAGES && !closing; page++) {
      const now = clock.now();
      const rows = await alarm.find(pool, { now, limit: PAGE });
      // Asked before anything is pushed: a queue that is deep or away leaves the alarms as they are.
      if (rows.length === 0 || (await isDeep(alarm.pool))) break;
      failpoint('sweeper.push.before');
      const pushed = await pushAndRing(alarm, rows, now);
      rung += pushed;
      // Nothing of a page pushed: another sweeper is at it, or its rows are being moved.
      if (rows.length < PAGE || pushed === 0) break;
    }
    return rung;
  }

  async function pushAndRing(alarm: Alarm, rows: readonly DueRow[], now: Instant): Promise<number> {
    const jobs = new Map<number, QueueJob[]>();
    let pushed = 0;
    let failure: unknown;
    await forEachRow([...byBook(rows)], {
      concurrency: BOOKS_AT_ONCE,
      work: async ([bookId, ofBook]) => {
        const ids = await alarm.push(pool, bookId, ofBook, now + alarm.pushMs);
        const lane = laneOf(bookId, queues.lanes);
        const ofLane = jobs.get(lane) ?? [];
        jobs.set(lane, ofLane);
        for (let at = 0; at < ids.length; at += IDS_PER_JOB) {
          const bell = { name: alarm.job, data: { bookId, ids: ids.slice(at, at + IDS_PER_JOB) } };
          ofLane.push(secondBell(bell, { now, namedMs: alarm.pushMs * PUSHES_NAMED_ALIKE }));
        }
        pushed += ids.length;
      },
      onError: (_, error) => {
        failure = error;
      },
    });
    failpoint('sweeper.push.after');
    for (const [lane, ofLane] of jobs) {
      if (ofLane.length > 0) await queues.add(alarm.pool, lane, ofLane, { limitMs: QUEUE_LIMIT_MS });
    }
    failpoint('sweeper.ring.after');
    if (failure) warnings.get(alarm.name)?.(failure);
    return pushed;
  }

  async function isDeep(of: QueuePool): Promise<boolean> {
    const lanes = Array.from({ length: queues.lanes }, (_, lane) =>
      queues.depth(of, lane, { limitMs: QUEUE_LIMIT_MS }),
    );
    return (await Promise.all(lanes)).some(({ states }) => states.waiting > DEEP);
  }

  async function ringForNotices(): Promise<number> {
    let rung = 0;
    for (const rail of runtime.rails.all()) {
      const waiting = await rail.notices(1);
      if (waiting.length === 0) continue;
      const notices: QueueJob = { name: 'rail.notices', data: { bookId: '', ids: [rail.name] } };
      const bell = secondBell(notices, { now: clock.now(), namedMs: NOTICES_NAMED_MS });
      await queues.add('rails', laneOf('', queues.lanes), [bell], { limitMs: QUEUE_LIMIT_MS });
      rung += 1;
    }
    return rung;
  }

  async function dropAgedBodies(): Promise<number> {
    const before = clock.now() - runtime.config.IDEMPOTENCY_BODY_RETENTION_DAYS * DAY_MS;
    const keys = await findAgedKeys(pool, { before, limit: KEYS_PAGE });
    let dropped = 0;
    for (const [bookId, ofBook] of byBook(keys)) dropped += await dropBodies(pool, bookId, ofBook);
    return dropped;
  }

  return {
    sweep() {
      round ??= sweepAll().finally(() => {
        round = undefined;
      });
      return round;
    },
    async close() {
      closing = true;
      if (!round) return;
      await withinLimit(round, { what: 'the last round', limitMs: CLOSE_LIMIT_MS }).catch(
        warnSeldom(log, 'left a round unfinished'),
      );
    },
  };
}

/**
 * A bell that is rung again and again while nobody answers. It is named after all its rows: so a queue holds it once for a
 * while, and no row is ever left out because another row's bell is waiting. Then it gets another name: a queue may keep a
 * bell that nobody will answer, as BullMQ on Postgres does with what a dead worker had in hand, for as long as the clock of
 * another worker was ahead.
 */
function secondBell(job: QueueJob, { now, namedMs }: { now: Instant; namedMs: number }): QueueJob {
  const { bookId, ids } = job.data;
  return { ...job, deduplicationId: deriveId(job.name, bookId, String(Math.floor(now / namedMs)), ...ids) };
}
