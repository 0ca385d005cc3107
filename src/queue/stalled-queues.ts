/**
 * Whether jobs come out of the queues. Money is accepted only where work can be done, so readiness reports a queue when
 * one of these is so:
 * - Jobs wait, this process works the queue and has room, and none has come out of it for a minute: its connection listens at
 *   another server, or the queue's data are damaged. A partition whose every job is in hand is no such case.
 * - Jobs wait in a queue that moves money, and nothing has moved in it for ten minutes, whoever works it. Workers that are
 *   restarted or busy move something before that.
 * - It could not be read for ten minutes, longer than a datastore takes to restart or fail over.
 * - Its names are another installation's. Reported at once: nothing of it may be touched.
 */
import type { QueuePool } from './job.ts';
import type { RunningPool } from './pool.ts';
import type { Queues } from './queues.ts';
import { QueueUnfit } from './try-queue.ts';

const LOOK_EVERY_MS = 10_000;
/** Several times what BullMQ takes to find jobs of a dead worker, and a fetch on a busy machine. */
const IDLE_AFTER_MS = 60_000;
/** A deployment that starts every worker anew, or a Redis that reads its data, takes minutes. */
const STILL_AFTER_MS = 600_000;
const READ_LIMIT_MS = 2_000;

/** Of these pools a job ends within seconds or minutes. Reports may take longer, and receivers of webhooks are others' matter. */
const MONEY_POOLS: readonly QueuePool[] = ['ledger', 'rails', 'payments'];

export interface StalledQueuesOptions {
  readonly lookEveryMs?: number;
  readonly idleAfterMs?: number;
  readonly stillAfterMs?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

type WatchedPool = Pick<RunningPool, 'name' | 'hasRoom' | 'taken'>;
type ReadQueues = Pick<Queues, 'depth' | 'next' | 'partitions'>;

/** What a queue showed, and since when it is as it should not be. */
interface Sight {
  /** Jobs that this process has taken from it. */
  readonly taken: number;
  readonly waiting: number;
  /** The jobs that come out next. */
  readonly next: string;
  /** Jobs wait, and none has come to this process, which has room. */
  readonly idleSince: number | undefined;
  /** Jobs wait and nothing has moved, or the queue cannot be read. */
  readonly stillSince: number | undefined;
}

const UNSEEN: Sight = { taken: 0, waiting: 0, next: '', idleSince: undefined, stillSince: undefined };

export class StalledQueues {
  readonly #queues: ReadQueues;
  readonly #options: Required<StalledQueuesOptions>;
  readonly #sights = new Map<string, Sight>();
  readonly #own = new Map<QueuePool, WatchedPool>();
  readonly #pools = new Set<QueuePool>();
  #timer: NodeJS.Timeout | undefined;

  constructor(queues: ReadQueues, options: StalledQueuesOptions = {}) {
    this.#queues = queues;
    this.#options = {
      ...{ lookEveryMs: LOOK_EVERY_MS, idleAfterMs: IDLE_AFTER_MS, stillAfterMs: STILL_AFTER_MS },
      ...{ now: () => performance.now(), ...options },
    };
  }

  /** Looks at the queues of a pool that this process runs. */
  watch(pool: WatchedPool): void {
    this.#own.set(pool.name, pool);
    this.#lookAtPools([pool.name]);
  }

  /** Looks at the queues that move money, whoever works them: for a process that accepts it. */
  watchMoney(): void {
    this.#lookAtPools(MONEY_POOLS);
  }

  /** A queue out of which no jobs come, the first by name; undefined without one. */
  stalled(): string | undefined {
    const { idleAfterMs, stillAfterMs, now } = this.#options;
    const at = now();
    const isLong = (since: number | undefined, mostMs: number) => since !== undefined && at - since >= mostMs;
    const stalled = [...this.#sights]
      .filter(([, { idleSince, stillSince }]) => isLong(idleSince, idleAfterMs) || isLong(stillSince, stillAfterMs))
      .map(([queue]) => queue);
    return stalled.sort()[0];
  }

  /** Looks at every watched queue, now. */
  async look(): Promise<void> {
    const partitions = Array.from({ length: this.#queues.partitions }, (_, partition) => partition);
    await Promise.all([...this.#pools].flatMap((pool) => partitions.map((partition) => this.#lookAt(pool, partition))));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#pools.clear();
    this.#sights.clear();
  }

  #lookAtPools(pools: readonly QueuePool[]): void {
    for (const pool of pools) this.#pools.add(pool);
    this.#timer ??= setInterval(() => void this.look(), this.#options.lookEveryMs).unref();
  }

  async #lookAt(pool: QueuePool, partition: number): Promise<void> {
    const queue = `${pool}-${partition}`;
    const before = this.#sights.get(queue);
    const at = this.#options.now();
    const seen = await this.#read(pool, partition).catch((error: unknown) => unread(error, { before, at }));
    if (!this.#pools.has(pool)) return;
    if ('stillSince' in seen) {
      this.#sights.set(queue, seen);
      return;
    }
    const own = this.#own.get(pool);
    const taken = own?.taken(partition) ?? 0;
    const waits = seen.waiting > 0;
    const isIdle = waits && own?.hasRoom(partition) === true && taken === before?.taken;
    const isStill = waits && before?.next === seen.next && seen.waiting >= before.waiting && taken === before.taken;
    this.#sights.set(queue, {
      ...{ taken, ...seen },
      idleSince: isIdle ? (before?.idleSince ?? at) : undefined,
      stillSince: isStill && MONEY_POOLS.includes(pool) ? (before?.stillSince ?? at) : undefined,
    });
  }

  async #read(pool: QueuePool, partition: number): Promise<Pick<Sight, 'waiting' | 'next'>> {
    const limit = { limitMs: READ_LIMIT_MS };
    const { states } = await this.#queues.depth(pool, partition, limit);
    const next = states.waiting > 0 ? await this.#queues.next(pool, partition, limit) : [];
    return { waiting: states.waiting, next: next.join(' ') };
  }
}

/** Nothing is known of what cannot be read: it counts as before, and as still. */
function unread(error: unknown, { before = UNSEEN, at }: { before: Sight | undefined; at: number }): Sight {
  const stillSince = error instanceof QueueUnfit ? Number.NEGATIVE_INFINITY : (before.stillSince ?? at);
  return { ...before, idleSince: undefined, stillSince };
}
