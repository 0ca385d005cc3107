/**
 * Draining: one process delivers what waits for an endpoint, a page at a time, in the order of the events. It holds the
 * backlog for a while and says so again as long as it goes on. Killed at any point: the time passes, the sweeper enqueues
 * the endpoint, and another process goes on from the last event that was written down.
 *
 * An endpoint that takes nothing is given back until later, with a pause that grows; then a single attempt asks whether it
 * is back. One line in the log says how many wait, and since when.
 */
import { type Clock, formatInstant, type Instant } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { failpoint } from '../failpoints.ts';
import { publicId } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import type { Logger } from '../log.ts';
import type { Room } from '../room.ts';
import { HELD_MS, pauseMs } from './backlog.ts';
import {
  claimBacklog,
  clearBacklog,
  countWaiting,
  type HeldBacklog,
  keepBacklog,
  loadWaiting,
} from './backlog-store.ts';
import { catchUp, fallBehind } from './change-backlog.ts';
import type { Outbox } from './outbox.ts';

export interface DrainContext {
  readonly pool: Pool;
  readonly committer: { submit<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> };
  readonly clock: Clock;
  readonly log: Logger;
  /** For statements: a thousand endpoints that fall behind at once must not keep the connections from everybody else. */
  readonly statements: Room;
  random(): number;
  /** Told why something was left for later. */
  warn(error: unknown): void;
  isClosed(): boolean;
  /** Marks that the log is told of this endpoint. False where it was told within the hour. */
  markTold(): boolean;
  /** Ends that mark. True where the log was told. */
  clearTold(): boolean;
}

/** Told again before half of it has passed. */
const KEEP_EVERY_MS = 20_000;
/** Deliveries in one page, for each that may be under way: what is in memory goes with how fast the endpoint is. */
const PAGE_PER_ATTEMPT = 8;
/** As many are ready when the next page is read: reading takes some milliseconds. */
const AHEAD_PER_ATTEMPT = 4;
/** Deliveries of one endpoint in memory, those that wait for their record included. */
const IN_HAND_MAX = 1_500;
/** Clocks of two machines differ: a job, or a delivery that joined, may come this much before our own clock says so. */
const CLOCK_TOLERANCE_MS = 2_000;

export class BacklogDrain {
  readonly #context: DrainContext;
  readonly #outbox: Outbox;
  #held: { until: Instant; seenFrom: bigint };
  #behindSince: Instant | null;
  #retryAttempts: number;
  #next: bigint;
  #atEnd = false;
  #sparse = false;
  #keptAt: number;
  #isOurs = true;
  /** Nothing waits any more. */
  #isOver = false;
  readonly #failedBefore: number;

  private constructor(context: DrainContext, outbox: Outbox, held: HeldBacklog, failedBefore: number) {
    this.#context = context;
    this.#outbox = outbox;
    this.#held = { until: held.until, seenFrom: held.waitingFrom };
    this.#behindSince = held.behindSince;
    this.#retryAttempts = held.retryAttempts;
    this.#next = held.waitingFrom;
    this.#keptAt = performance.now();
    this.#failedBefore = failedBefore;
    if (held.retryAttempts > 0) outbox.concurrency.probe();
  }

  /** Drains an endpoint that is due, unless another process does. Resolves with whether nothing waits any more. */
  static async ofDue(context: DrainContext, outbox: Outbox): Promise<boolean> {
    const now = Math.floor(context.clock.now());
    const times = { now: now + CLOCK_TOLERANCE_MS, until: now + HELD_MS };
    const held = await context.statements.run(outbox.bookId, () => claimBacklog(context.pool, outbox, times));
    return held !== undefined && new BacklogDrain(context, outbox, held, outbox.concurrency.failed).run();
  }

  /** Deliveries were left: the endpoint falls behind, and is drained at once. */
  static async ofLeft(context: DrainContext, outbox: Outbox): Promise<boolean> {
    // One that takes nothing is left alone at once: its last attempts said so.
    const failedBefore = outbox.concurrency.isFailing ? 0 : outbox.concurrency.failed;
    const waitingFrom = outbox.takeLeft();
    if (waitingFrom === undefined) return true;
    const now = Math.floor(context.clock.now());
    const until = now + HELD_MS;
    const { bookId, endpointId } = outbox;
    const answer = await context.committer.submit(
      bookId,
      fallBehind({ endpointId, now, heldUntil: until, waitingFrom }),
    );
    if (answer !== 'held') return false;
    const held = { until, behindSince: now, retryAttempts: 0, waitingFrom };
    return new BacklogDrain(context, outbox, held, failedBefore).run();
  }

  async run(): Promise<boolean> {
    const outbox = this.#outbox;
    outbox.unrecorded = false;
    try {
      while (await this.#step());
      return this.#isOver;
    } finally {
      outbox.readFrom = undefined;
      outbox.turnAway();
      outbox.takeLeft();
    }
  }

  /** False when the backlog is out of our hand. */
  async #step(): Promise<boolean> {
    const outbox = this.#outbox;
    if (!this.#isOurs) return false;
    if (this.#context.isClosed()) return this.#giveBack(0);
    if (outbox.unrecorded || (outbox.concurrency.isFailing && outbox.concurrency.failed > this.#failedBefore))
      return this.#pause();
    if (!outbox.concurrency.isFailing) this.#retryAttempts = 0;
    if (performance.now() - this.#keptAt > KEEP_EVERY_MS) await this.#keep();
    const left = outbox.takeLeft();
    if (left !== undefined) await this.#goBackTo(left);
    outbox.readFrom = this.#behindSince === null ? undefined : this.#next;
    if (outbox.ready > outbox.concurrency.limit * AHEAD_PER_ATTEMPT || outbox.unsettled > IN_HAND_MAX)
      return this.#wait();
    if (!this.#atEnd) return this.#readPage();
    if (this.#behindSince !== null) return this.#catchUp();
    if (outbox.first() !== undefined) return this.#wait();
    return !(await this.#end());
  }

  async #wait(): Promise<true> {
    const outbox = this.#outbox;
    const timer = setTimeout(() => outbox.poke(), KEEP_EVERY_MS);
    await outbox.changed();
    clearTimeout(timer);
    return true;
  }

  async #readPage(): Promise<true> {
    const { clock } = this.#context;
    const outbox = this.#outbox;
    const limit = outbox.concurrency.limit * PAGE_PER_ATTEMPT;
    const sparse = this.#sparse;
    const page = await this.#inTurn((pool) =>
      loadWaiting(pool, outbox, { from: this.#next, limit, sparse, now: clock.now() + CLOCK_TOLERANCE_MS }),
    );
    this.#next = page.next;
    this.#atEnd = page.end;
    this.#sparse = page.deliveries.length < outbox.concurrency.limit && !page.end;
    if (this.#isOurs && !this.#context.isClosed()) outbox.add(page.deliveries);
    else for (const { eventSequence } of page.deliveries) outbox.leave(eventSequence);
    return true;
  }

  #inTurn<Result>(ask: (pool: Pool) => Promise<Result>): Promise<Result> {
    const { statements, pool } = this.#context;
    return statements.run(this.#outbox.bookId, () => ask(pool));
  }

  async #goBackTo(left: bigint): Promise<void> {
    if (left < this.#next) this.#next = left;
    this.#atEnd = false;
    if (this.#behindSince !== null) return;
    const { committer, clock } = this.#context;
    const { bookId, endpointId } = this.#outbox;
    const now = Math.floor(clock.now());
    // Whether it answers "held" or "left": it is ours.
    await committer.submit(bookId, fallBehind({ endpointId, now, heldUntil: now, waitingFrom: this.#next }));
    this.#behindSince = now;
  }

  /** All that waits was read. What is committed from now on has its own due time; what came before is looked for once more. */
  async #catchUp(): Promise<true> {
    const { bookId, endpointId } = this.#outbox;
    failpoint('backlog.catch-up.before');
    await this.#context.committer.submit(bookId, catchUp(endpointId));
    failpoint('backlog.catch-up.after');
    this.#behindSince = null;
    this.#atEnd = false;
    return true;
  }

  /** True when nothing waits. */
  async #end(): Promise<boolean> {
    const { log, clock } = this.#context;
    if (await this.#inTurn((pool) => clearBacklog(pool, this.#outbox, this.#held))) {
      if (this.#context.clearTold()) log.info(this.#names(), 'webhook endpoint caught up');
      this.#isOver = true;
      return true;
    }
    // Deliveries joined those that wait, or another process said that it fell behind again: it is the same backlog.
    const joined = !(await this.#keep(this.#next));
    if (!joined) this.#behindSince = Math.floor(clock.now());
    this.#atEnd = false;
    return !this.#isOurs;
  }

  /** Holds it for longer, and writes down how far it is drained. False when that brought something new. */
  async #keep(from = this.#drainedTo()): Promise<boolean> {
    const until = Math.floor(this.#context.clock.now()) + HELD_MS;
    return this.#write({ until, retryAttempts: this.#retryAttempts, waitingFrom: from });
  }

  async #write(next: { until: Instant; retryAttempts: number; waitingFrom: bigint }): Promise<boolean> {
    this.#keptAt = performance.now();
    const written = await this.#inTurn((pool) => keepBacklog(pool, this.#outbox, this.#held, next));
    if (written === undefined) {
      this.#isOurs = false;
      return false;
    }
    this.#held = { until: next.until, seenFrom: written };
    if (written >= next.waitingFrom) return true;
    if (written < this.#next) this.#next = written;
    this.#atEnd = false;
    return false;
  }

  #drainedTo(): bigint {
    const first = this.#outbox.first();
    return first !== undefined && first < this.#next ? first : this.#next;
  }

  /** It takes nothing: until later. */
  async #pause(): Promise<false> {
    const outbox = this.#outbox;
    this.#retryAttempts += 1;
    const from = await this.#giveBackIn(pauseMs(this.#retryAttempts, outbox.retryAfterMs, this.#context.random));
    // Counting takes a while: the next attempt does not wait for it.
    if (this.#context.markTold()) this.#tell(from).catch(this.#context.warn);
    return false;
  }

  async #tell(from: bigint): Promise<void> {
    const waiting = await this.#inTurn((pool) => countWaiting(pool, this.#outbox, from));
    const since = this.#behindSince === null ? undefined : formatInstant(this.#behindSince);
    const facts = { ...this.#names(), waiting, since, retryAt: formatInstant(this.#held.until) };
    this.#context.log.warn(facts, 'webhook endpoint is behind: it takes nothing, and its deliveries wait');
  }

  async #giveBack(inMs: number): Promise<false> {
    await this.#giveBackIn(inMs);
    return false;
  }

  /** Resolves with the first event that may wait. */
  async #giveBackIn(inMs: number): Promise<bigint> {
    this.#outbox.turnAway();
    const waitingFrom = this.#drainedTo();
    const until = Math.floor(this.#context.clock.now()) + inMs;
    await this.#write({ until, retryAttempts: this.#retryAttempts, waitingFrom });
    this.#isOurs = false;
    return waitingFrom;
  }

  #names() {
    const { bookId, endpointId } = this.#outbox;
    return { bookId, endpoint: publicId('webhookEndpoint', endpointId) };
  }
}
