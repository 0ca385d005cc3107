/**
 * `Prefer: wait=N`: holds answers until an object has left its first status. One poll loop serves all held answers of
 * the process, so that a thousand cost one query a tick and not a thousand.
 */
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Logger } from '../log.ts';

/** Loads the objects that exist. Called with waiting ids of one book, at most IDS_PER_LOAD. */
export type LoadMany<T> = (bookId: BookId, ids: Uuid[]) => Promise<ReadonlyMap<Uuid, T>>;

export interface WaitTarget<T> {
  bookId: BookId;
  id: Uuid;
  isDone: (value: T) => boolean;
  seconds: number;
  /** Aborted when the client has disconnected. */
  signal?: AbortSignal;
}

interface Waiting<T> extends WaitTarget<T> {
  latest: T | undefined;
  deadline: number;
  finish: () => void;
}

/** A sandbox payout takes about as long. Polling adds half of it on average. */
const TICK_MS = 40;
const IDS_PER_LOAD = 500;

export class Waiters<T> {
  readonly #load: LoadMany<T>;
  readonly #log: Logger | undefined;
  readonly #waiting = new Set<Waiting<T>>();
  #polling = false;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(load: LoadMany<T>, log?: Logger) {
    this.#load = load;
    this.#log = log;
  }

  /**
   * Resolves with the object as last loaded: when it is done, the time is over, the client has disconnected or the
   * process drains. Undefined if the object was never loaded. Never rejects.
   */
  waitFor(target: WaitTarget<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const finish = () => {
        this.#waiting.delete(waiting);
        target.signal?.removeEventListener('abort', finish);
        resolve(waiting.latest);
      };
      const waiting: Waiting<T> = {
        ...target,
        latest: undefined,
        deadline: performance.now() + target.seconds * 1000,
        finish,
      };
      this.#waiting.add(waiting);
      if (this.#closed || target.signal?.aborted) {
        finish();
        return;
      }
      target.signal?.addEventListener('abort', finish);
      if (!this.#polling) void this.#poll();
    });
  }

  /** Resolves every wait with the object as last loaded. */
  close(): void {
    this.#closed = true;
    for (const waiting of [...this.#waiting]) waiting.finish();
    this.#wake?.();
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    while (this.#waiting.size > 0) {
      try {
        await this.#look();
      } catch (error) {
        this.#log?.warn({ err: error }, 'could not look at what requests wait for');
      }
      const now = performance.now();
      for (const waiting of [...this.#waiting]) if (now >= waiting.deadline) waiting.finish();
      if (this.#waiting.size > 0) await this.#tick();
    }
    this.#polling = false;
  }

  async #look(): Promise<void> {
    const byBook = groupByBook(this.#waiting);
    for (const [bookId, waiting] of byBook) {
      const ids = [...new Set(waiting.map(({ id }) => id))];
      for (let at = 0; at < ids.length; at += IDS_PER_LOAD) {
        const found = await this.#load(bookId, ids.slice(at, at + IDS_PER_LOAD));
        for (const one of waiting) {
          const value = found.get(one.id);
          if (value === undefined) continue;
          one.latest = value;
          if (one.isDone(value)) one.finish();
        }
      }
    }
  }

  #tick(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, TICK_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function groupByBook<T extends { bookId: BookId }>(waiting: Iterable<T>): Map<BookId, T[]> {
  const groups = new Map<BookId, T[]>();
  for (const one of waiting) {
    const group = groups.get(one.bookId);
    if (group) group.push(one);
    else groups.set(one.bookId, [one]);
  }
  return groups;
}
