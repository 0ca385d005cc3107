/**
 * Whether jobs come out of the queues that this process works. A queue in which jobs wait, and from which none has come
 * while this process had nothing of its pool in hand, does not reach it: its connection listens at another server, or the
 * queue's data are damaged. What waits for room in a busy pool is no such case, and neither is a queue that does not answer:
 * the sweeper enqueues its rows again once it does.
 */
import type { RunningPool } from './pool.ts';
import type { Queues } from './queues.ts';

const LOOK_EVERY_MS = 5_000;
/** Several times what BullMQ takes to find jobs of a dead worker, and a fetch on a busy machine. */
const STALLED_AFTER_MS = 60_000;
const DEPTH_LIMIT_MS = 2_000;

export interface StalledQueuesOptions {
  readonly lookEveryMs?: number;
  readonly stalledAfterMs?: number;
}

type WatchedPool = Pick<RunningPool, 'name' | 'inHand' | 'taken'>;

/** What was seen of a queue, and since when no job has come out although one waits. */
interface Sight {
  readonly taken: number;
  readonly waitsSince: number | undefined;
}

export class StalledQueues {
  readonly #queues: Pick<Queues, 'depth' | 'partitions'>;
  readonly #options: Required<StalledQueuesOptions>;
  readonly #sights = new Map<string, Sight>();
  readonly #pools: WatchedPool[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(queues: Pick<Queues, 'depth' | 'partitions'>, options: StalledQueuesOptions = {}) {
    this.#queues = queues;
    this.#options = { lookEveryMs: LOOK_EVERY_MS, stalledAfterMs: STALLED_AFTER_MS, ...options };
  }

  /** Looks at the pool's queues from now on. */
  watch(pool: WatchedPool): void {
    this.#pools.push(pool);
    this.#timer ??= setInterval(() => void this.#look(), this.#options.lookEveryMs).unref();
  }

  /** A queue from which no job has come out for as long as one waits; undefined otherwise. */
  stalled(): string | undefined {
    const longAgo = performance.now() - this.#options.stalledAfterMs;
    for (const [queue, { waitsSince }] of this.#sights)
      if (waitsSince !== undefined && waitsSince <= longAgo) return queue;
    return undefined;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#pools.length = 0;
    this.#sights.clear();
  }

  async #look(): Promise<void> {
    const partitions = Array.from({ length: this.#queues.partitions }, (_, partition) => partition);
    await Promise.all(this.#pools.flatMap((pool) => partitions.map((partition) => this.#lookAt(pool, partition))));
  }

  async #lookAt(pool: WatchedPool, partition: number): Promise<void> {
    const queue = `${pool.name}-${partition}`;
    const before = this.#sights.get(queue);
    const askedAt = performance.now();
    const depth = await this.#queues.depth(pool.name, partition, { limitMs: DEPTH_LIMIT_MS }).catch(() => undefined);
    const taken = pool.taken(partition);
    const stands = depth !== undefined && depth.states.waiting > 0 && pool.inHand() === 0 && taken === before?.taken;
    this.#sights.set(queue, { taken, waitsSince: stands ? (before?.waitsSince ?? askedAt) : undefined });
  }
}
