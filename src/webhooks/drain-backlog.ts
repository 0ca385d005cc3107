/**
 * Drains a backlog: one process makes the waiting deliveries of an endpoint, a page at a time, in the order of the events.
 * The process holds the backlog for a limited time and renews the hold while it works. When the process is killed, the hold
 * expires, the sweeper enqueues the endpoint, and another process continues after the last recorded event.
 *
 * The backlog of an endpoint that accepts nothing is released, with exponential backoff. Then a single attempt probes
 * whether the endpoint has recovered. One line in the log says how many deliveries wait, and since when.
 */

import type { Pool } from '../db/pool.ts';
import type { Room } from '../fairness/room.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import { failpoint } from '../process/failpoints.ts';
import type { Logger } from '../process/log.ts';
import { type Clock, formatInstant, type Instant } from '../values/clock.ts';
import { publicId } from '../values/ids.ts';
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
  /** Limits statements: a thousand endpoints that fall behind at once must leave connections for other work. */
  readonly statements: Room;
  random(): number;
  /** Receives the reason when work is postponed. */
  warn(error: unknown): void;
  isClosed(): boolean;
  /** Marks the endpoint as logged. False when it was logged within the hour. */
  markLogged(): boolean;
  /** Removes that mark. True when there was one. */
  clearLogged(): boolean;
}

/** The hold is renewed before half of it has passed. */
const KEEP_EVERY_MS = 20_000;
/** Deliveries in a page for each attempt that may be in progress, so that memory grows with the speed of the endpoint. */
const PAGE_PER_ATTEMPT = 8;
/** The next page is read when this many deliveries per attempt are ready, because reading takes some milliseconds. */
const AHEAD_PER_ATTEMPT = 4;
/** Most deliveries of one endpoint in memory that are sent and not yet recorded. */
const IN_HAND_MAX = 1_500;
/** Clocks of two machines differ: a job or a delivery may be due this much before our own clock says so. */
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
  /** No delivery waits any more. */
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

  /** Drains an endpoint that is due, unless another process does. Resolves with whether the backlog is empty. */
  static async ofDue(context: DrainContext, outbox: Outbox): Promise<boolean> {
    const now = Math.floor(context.clock.now());
    const times = { now: now + CLOCK_TOLERANCE_MS, until: now + HELD_MS };
    const held = await context.statements.run(outbox.bookId, () => claimBacklog(context.pool, outbox, times));
    return held !== undefined && new BacklogDrain(context, outbox, held, outbox.concurrency.failed).run();
  }

  /**
   * Deliveries were skipped: the endpoint falls behind and is drained at once. Resolves with whether the backlog is empty.
   */
  static async ofSkipped(context: DrainContext, outbox: Outbox): Promise<boolean> {
    // A failing endpoint is paused at once: its last attempts all failed.
    const failedBefore = outbox.concurrency.isFailing ? 0 : outbox.concurrency.failed;
    const waitingFrom = outbox.takeSkipped();
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
      outbox.skipUnsent();
      outbox.takeSkipped();
    }
  }

  /** False when this process has released or lost the backlog. */
  async #step(): Promise<boolean> {
    const outbox = this.#outbox;
    if (!this.#isOurs) return false;
    if (this.#context.isClosed()) return this.#giveBack(0);
    if (outbox.unrecorded || (outbox.concurrency.isFailing && outbox.concurrency.failed > this.#failedBefore))
      return this.#pause();
    if (!outbox.concurrency.isFailing) this.#retryAttempts = 0;
    if (performance.now() - this.#keptAt > KEEP_EVERY_MS) await this.#keep();
    const skipped = outbox.takeSkipped();
    if (skipped !== undefined) await this.#goBackTo(skipped);
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
    else for (const { eventSequence } of page.deliveries) outbox.skip(eventSequence);
    return true;
  }

  #inTurn<Result>(ask: (pool: Pool) => Promise<Result>): Promise<Result> {
    const { statements, pool } = this.#context;
    return statements.run(this.#outbox.bookId, () => ask(pool));
  }

  async #goBackTo(skipped: bigint): Promise<void> {
    if (skipped < this.#next) this.#next = skipped;
    this.#atEnd = false;
    if (this.#behindSince !== null) return;
    const { committer, clock } = this.#context;
    const { bookId, endpointId } = this.#outbox;
    const now = Math.floor(clock.now());
    // The answer is ignored: this process already holds the backlog.
    await committer.submit(bookId, fallBehind({ endpointId, now, heldUntil: now, waitingFrom: this.#next }));
    this.#behindSince = now;
  }

  /**
   * The whole backlog was read. Deliveries committed from now on have their own due time; earlier ones are read once
   * more.
   */
  async #catchUp(): Promise<true> {
    const { bookId, endpointId } = this.#outbox;
    failpoint('backlog.catch-up.before');
    await this.#context.committer.submit(bookId, catchUp(endpointId));
    failpoint('backlog.catch-up.after');
    this.#behindSince = null;
    this.#atEnd = false;
    return true;
  }

  /** True when the drain is over. */
  async #end(): Promise<boolean> {
    const { log, clock } = this.#context;
    if (await this.#inTurn((pool) => clearBacklog(pool, this.#outbox, this.#held))) {
      if (this.#context.clearLogged()) log.info(this.#names(), 'webhook endpoint caught up');
      this.#isOver = true;
      return true;
    }
    // Deliveries joined the backlog, or another process reported the endpoint behind again. The drain continues.
    const joined = !(await this.#keep(this.#next));
    if (!joined) this.#behindSince = Math.floor(clock.now());
    this.#atEnd = false;
    return !this.#isOurs;
  }

  /**
   * Renews the hold and records how far the backlog is drained. False when deliveries joined before that point, or the
   * hold was lost.
   */
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

  /** The endpoint accepts nothing: releases the backlog with a later due time. */
  async #pause(): Promise<false> {
    const outbox = this.#outbox;
    this.#retryAttempts += 1;
    const from = await this.#giveBackIn(pauseMs(this.#retryAttempts, outbox.retryAfterMs, this.#context.random));
    // Counting is slow, and the next attempt must not wait for it.
    if (this.#context.markLogged()) this.#logBacklog(from).catch(this.#context.warn);
    return false;
  }

  async #logBacklog(from: bigint): Promise<void> {
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
    this.#outbox.skipUnsent();
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
