/**
 * Since when the oldest row of each kind has waited for its pool. Exact for a few rows and for hundreds of thousands.
 *
 * Up to FRONT rows are read whole. Where more wait, one scan reads them all and keeps those that have waited longest,
 * in order. While the first of them still waits, it is the oldest: a row that begins to wait later waits less. One
 * lookup by its key shows it. The rest of the list serves while workers take one after the other, and then there is
 * another scan. One scan runs at a time, and a read waits for all of them together no longer than its limit. Decision: docs/decisions/waiting-rows.md.
 */

import type { Pool } from '../db/pool.ts';
import type { Group } from '../group/group.ts';
import { poolsOf, type WaitingRows, waitingOf } from '../group/moved-rows.ts';
import { withinLimit } from '../process/time-limit.ts';
import type { QueuePool } from '../queue/job.ts';
import type { Instant } from '../values/clock.ts';
import { firstStillWaiting, readFront, scanOldest, type WaitingRow } from './waiting-store.ts';

export interface Waiting {
  readonly pool: QueuePool;
  readonly kind: string;
  /** Null when no row waits. */
  readonly since: Instant | null;
}

export interface WaitingOptions {
  readonly pool: Pool;
  readonly groups: readonly Group[];
  /** How long a read waits for scans, all of them together. Until a scan has ended, the rows that are due first stand for all. */
  readonly scanLimitMs: number;
}

/** A millisecond to read. */
const FRONT = 1_000;
/** Rows that a scan keeps: some seconds of a busy pool, and a megabyte. */
const KEPT = 10_000;
/** Rows that are looked up at once. */
const LOOKED_UP = 500;
/** A scan is followed by a pause of so many times its duration: it takes a tenth of one connection at most. */
const PAUSES = 9;

export class WaitingTimes {
  readonly #options: WaitingOptions;
  readonly #kinds: readonly WaitingRows[];
  readonly #scans = new Map<string, Scan>();
  /** The end of the scan that runs. Where many kinds wait, a database that is slow has one of them at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: WaitingOptions) {
    this.#options = options;
    this.#kinds = options.groups.flatMap(waitingOf);
  }

  /** One after the other: a read takes one connection. Every pool and kind has its line. */
  async read(now: Instant): Promise<Waiting[]> {
    const read: Waiting[] = [];
    const scansUntil = performance.now() + this.#options.scanLimitMs;
    for (const rows of this.#kinds) {
      const front = await readFront(this.#options.pool, rows, { now, limit: FRONT });
      for (const pool of poolsOf(rows)) {
        const known = front.oldest.get(pool) ?? null;
        const since = front.seen < FRONT ? known : earlier(known, await this.#scanned(rows, pool, { now, scansUntil }));
        read.push({ pool, kind: rows.kind, since });
      }
    }
    return read;
  }

  async #scanned(
    rows: WaitingRows,
    of: QueuePool,
    { now, scansUntil }: { now: Instant; scansUntil: number },
  ): Promise<Instant | null> {
    const name = `${of} ${rows.kind}`;
    const scan = this.#scans.get(name) ?? new Scan(this.#options.pool, rows, of);
    this.#scans.set(name, scan);
    const known = await scan.oldest();
    if (known !== null) return known;
    const limitMs = Math.max(0, scansUntil - performance.now());
    const again = scan.again(now, (run) => this.#inTurn(run));
    return withinLimit(again, { what: 'a scan of waiting rows', limitMs }).catch(() => null);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const ended = this.#turn.then(run);
    this.#turn = ended.catch(() => undefined);
    return ended;
  }
}

function earlier(one: Instant | null, other: Instant | null): Instant | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** The rows of one kind and pool that have waited longest, as the last scan found them. */
class Scan {
  readonly #pool: Pool;
  readonly #rows: WaitingRows;
  readonly #of: QueuePool;
  #list: WaitingRow[] = [];
  #looking: Promise<Instant | null> | undefined;
  #scanning: Promise<Instant | null> | undefined;
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool, rows: WaitingRows, of: QueuePool) {
    this.#pool = pool;
    this.#rows = rows;
    this.#of = of;
  }

  /** Of the last scan. Null: all that it kept has been moved, or no scan has ended. */
  oldest(): Promise<Instant | null> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Scans in its turn. Null during the pause. */
  async again(
    now: Instant,
    inTurn: (run: () => Promise<Instant | null>) => Promise<Instant | null>,
  ): Promise<Instant | null> {
    if (this.#scanning === undefined && performance.now() < this.#restUntil) return null;
    this.#scanning ??= inTurn(() => this.#scan(now)).finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  async #look(): Promise<Instant | null> {
    while (this.#list.length > 0) {
      const first = await firstStillWaiting(this.#pool, this.#rows, this.#list.slice(0, LOOKED_UP));
      this.#list.splice(0, first ?? LOOKED_UP);
      if (first !== undefined) return this.#list[0]!.since;
    }
    return null;
  }

  /** A scan that fails, as by the statement timeout, is followed by its pause too. */
  async #scan(now: Instant): Promise<Instant | null> {
    const begun = performance.now();
    try {
      this.#list = await scanOldest(this.#pool, this.#rows, { of: this.#of, now, limit: KEPT });
    } finally {
      const ended = performance.now();
      this.#restUntil = ended + PAUSES * (ended - begun);
    }
    return this.#list[0]?.since ?? null;
  }
}
