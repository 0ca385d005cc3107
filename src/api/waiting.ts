/**
 * `Prefer: wait=N`: answers wait until their object has left its first status. One poll loop serves all waiting answers
 * of the process, so that a thousand cost one query a tick and not a thousand. Books do not wait for each other: a load
 * that is slow or fails delays the answers of its own book. The longer an answer has waited, the less often its object
 * is read, so that a book whose answers wait for a minute costs others little.
 */

import type { BookId } from '../ledger/book/book.ts';
import type { Logger } from '../process/log.ts';
import type { Uuid } from '../values/ids.ts';

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
  readonly since: number;
  lookAt: number;
  finish: () => void;
}

/** A sandbox payout takes about as long. Polling adds half of it on average. */
const TICK_MS = 40;
/** Until the next look, a part of the time waited so far: an answer comes an eighth later at most. */
const LATER_BY = 1 / 8;
const LOOK_AT_LEAST_EVERY_MS = 1_000;
const IDS_PER_LOAD = 500;
/** For the last look at an answer whose time is over. */
const LAST_LOOK_MS = 1_000;

export class Waiters<T> {
  readonly #load: LoadMany<T>;
  readonly #log: Logger | undefined;
  readonly #waiting = new Set<Waiting<T>>();
  /** Books whose objects are being loaded. */
  readonly #loading = new Set<BookId>();
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
        if (this.#waiting.size === 0) this.#wake?.();
        target.signal?.removeEventListener('abort', finish);
        resolve(waiting.latest);
      };
      const since = performance.now();
      const waiting: Waiting<T> = {
        ...target,
        latest: undefined,
        deadline: since + target.seconds * 1000,
        since,
        lookAt: since,
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
      const now = performance.now();
      // At the end of its time an answer is looked at once more, and then finished.
      const due = [...this.#waiting].filter(({ lookAt, deadline }) => now >= Math.min(lookAt, deadline));
      for (const [bookId, ofBook] of groupByBook(due))
        if (!this.#loading.has(bookId)) void this.#lookAt(bookId, ofBook);
      // A book whose load does not end keeps no answer beyond its time.
      for (const waiting of due) if (now >= waiting.deadline + LAST_LOOK_MS) waiting.finish();
      await this.#tick();
    }
    this.#polling = false;
  }

  /** Never rejects. */
  async #lookAt(bookId: BookId, due: readonly Waiting<T>[]): Promise<void> {
    this.#loading.add(bookId);
    try {
      const ids = [...new Set(due.map(({ id }) => id))];
      for (let at = 0; at < ids.length; at += IDS_PER_LOAD) {
        const found = await this.#load(bookId, ids.slice(at, at + IDS_PER_LOAD));
        for (const one of due) {
          const value = found.get(one.id);
          if (value === undefined) continue;
          one.latest = value;
          if (one.isDone(value)) one.finish();
        }
      }
    } catch (error) {
      this.#log?.warn({ err: error }, 'could not look at what requests wait for');
    }
    this.#loading.delete(bookId);
    const now = performance.now();
    for (const one of due) {
      one.lookAt = now + Math.min(Math.max(TICK_MS, (now - one.since) * LATER_BY), LOOK_AT_LEAST_EVERY_MS);
      if (now >= one.deadline) one.finish();
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
