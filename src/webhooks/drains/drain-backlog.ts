/**
 * Drains a backlog: one process makes the waiting deliveries of an endpoint, a page at a time, in the order of the
 * events. The process has a lease of the backlog and renews it while it works. When the process is killed, the lease
 * expires, the sweeper enqueues the endpoint, and another process continues after the last recorded event.
 *
 * An endpoint that accepts nothing is attempted again with exponential backoff, and the lease ends. Then a single
 * attempt probes whether the endpoint has recovered. One line in the log reports how many deliveries wait, and since
 * when.
 */

import type { Pool } from '../../db/pool.ts';
import type { Room } from '../../fairness/room.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Logger } from '../../process/log.ts';
import { type Clock, formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import { LEASE_MS, pauseMs } from '../backlogs/backlog.ts';
import { clearBacklog, countWaiting, keepBacklog, type LeasedBacklog, loadWaiting } from '../backlogs/backlog-store.ts';
import { catchUp, fallBehind } from '../backlogs/change-backlog.ts';
import type { DeliveryInHand, DeliveryResult } from '../deliveries/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Replays } from '../replays/run-replays.ts';
import { DrainProgress, type LeaseWritten } from './drain-progress.ts';

export interface DrainContext {
  readonly pool: Pool;
  readonly committer: { submit<Answer>(bookId: BookId, command: Command<Answer>): Promise<Answer> };
  readonly clock: Clock;
  readonly log: Logger;
  /** Limits statements: a thousand endpoints that fall behind at once must leave connections for other work. */
  readonly statements: Room;
  random(): number;
  /**
   * Of an ordered endpoint: makes an attempt and records it, or cancels the delivery where the endpoint is not enabled. Undefined
   * if a bug prevented it, and it is stuck. Rejects if neither could be recorded.
   */
  attempt(bookId: BookId, delivery: DeliveryInHand): Promise<DeliveryResult | undefined>;
  /** Of an ordered endpoint: they come before what waits. */
  readonly replays: Pick<Replays, 'preceding' | 'carryOut'>;
  /** Receives the reason when work is postponed. */
  warn(error: unknown): void;
  isClosed(): boolean;
  /** Marks the endpoint as logged. False when it was logged within the hour. */
  markLogged(): boolean;
  /** Removes that mark. True when there was one. */
  clearLogged(): boolean;
}

/** The lease is renewed before half of it has passed. */
const KEEP_EVERY_MS = 20_000;
/** Deliveries in a page for each attempt that may be in progress, so that memory grows with the speed of the endpoint. */
const PAGE_PER_ATTEMPT = 8;
/** Most deliveries of one endpoint in memory that are sent and not yet recorded. */
const IN_HAND_MAX = 1_500;
/** Clocks of two machines differ: a job or a delivery may be due this much before our own clock shows its time. */
export const CLOCK_TOLERANCE_MS = 2_000;

export class BacklogDrain {
  readonly #context: DrainContext;
  readonly #outbox: Outbox;
  readonly #progress: DrainProgress;
  /** Consecutive drains that ended because the endpoint accepted nothing. */
  #retryAttempts: number;
  /** When the lease was last written, in monotonic milliseconds. */
  #keptAt: number;
  /** Attempts of the endpoint that had failed before this drain. */
  readonly #failedBefore: number;
  /** No page had a delivery yet. */
  #isFirst = true;

  constructor(
    context: DrainContext,
    outbox: Outbox,
    { lease, failedBefore }: { lease: LeasedBacklog; failedBefore: number },
  ) {
    this.#context = context;
    this.#outbox = outbox;
    this.#progress = new DrainProgress(lease);
    this.#retryAttempts = lease.retryAttempts;
    this.#keptAt = performance.now();
    this.#failedBefore = failedBefore;
    if (lease.retryAttempts > 0) outbox.concurrency.probe();
  }

  /** Resolves with whether the backlog is empty. */
  async run(): Promise<boolean> {
    const outbox = this.#outbox;
    outbox.drain.begin(this.#progress.lease.until);
    try {
      while (this.#progress.isOurs) await this.#step();
      return this.#progress.state === 'cleared';
    } finally {
      outbox.drain.end();
      outbox.skipUnsent();
      if (!outbox.isDrained) outbox.takeSkipped();
    }
  }

  async #step(): Promise<void> {
    const outbox = this.#outbox;
    const progress = this.#progress;
    if (this.#context.isClosed()) {
      await this.#giveBack(0);
      return;
    }
    if (outbox.drain.hasUnrecorded || (outbox.concurrency.isFailing && outbox.concurrency.failed > this.#failedBefore))
      return this.#pause();
    if (!outbox.concurrency.isFailing) this.#retryAttempts = 0;
    if (performance.now() - this.#keptAt > KEEP_EVERY_MS) await this.#keep();
    // The lease was lost while it was renewed.
    if (!progress.isOurs) return;
    const skipped = outbox.takeSkipped();
    if (skipped !== undefined) await this.#goBackTo(skipped);
    outbox.drain.readFrom(progress.isBehind ? progress.next : undefined);
    if (outbox.ready > outbox.readAhead || outbox.inHand > IN_HAND_MAX) return this.#wait();
    if (progress.isReading) return this.#readPage();
    if (progress.isBehind) return this.#catchUp();
    if (outbox.first() !== undefined) return this.#wait();
    return this.#end();
  }

  async #wait(): Promise<void> {
    const outbox = this.#outbox;
    const timer = setTimeout(() => outbox.poke(), KEEP_EVERY_MS);
    await outbox.changed();
    clearTimeout(timer);
  }

  async #readPage(): Promise<void> {
    const { clock } = this.#context;
    const outbox = this.#outbox;
    const { next: from, isSparse: sparse } = this.#progress;
    const paced = outbox.pacer?.perSecond;
    const limit = Math.min(outbox.concurrency.limit * PAGE_PER_ATTEMPT, paced ?? Number.POSITIVE_INFINITY);
    const { deliveries, next, end } = await this.#inTurn((pool) =>
      loadWaiting(pool, outbox, { from, limit, sparse, now: clock.now() + CLOCK_TOLERANCE_MS }),
    );
    const [first] = deliveries;
    if (first?.endpoint.ordered) return void (await this.#giveBack(0));
    if (first) this.#adopt(first);
    const isSparse = deliveries.length < outbox.concurrency.limit && !end;
    this.#progress.pageRead({ next, isLast: end, isSparse });
    if (!this.#context.isClosed()) outbox.add(deliveries);
    else for (const { eventSequence } of deliveries) outbox.skip(eventSequence);
  }

  /** Before the first attempt: those of the process that had the lease before count for the rate. */
  #adopt({ endpoint }: DeliveryInHand): void {
    const outbox = this.#outbox;
    outbox.adopt(endpoint);
    if (this.#isFirst)
      outbox.pacer?.countUntil(endpoint.rateFreeAt ?? null, this.#context.clock.now(), performance.now());
    this.#isFirst = false;
  }

  #inTurn<Result>(ask: (pool: Pool) => Promise<Result>): Promise<Result> {
    const { statements, pool } = this.#context;
    return statements.run(this.#outbox.bookId, () => ask(pool));
  }

  async #goBackTo(skipped: bigint): Promise<void> {
    const progress = this.#progress;
    progress.goBackTo(skipped);
    if (progress.isBehind) return;
    const { committer, clock } = this.#context;
    const { bookId, endpointId } = this.#outbox;
    const now = Math.floor(clock.now());
    // The answer is ignored: this process already has the lease.
    await committer.submit(bookId, fallBehind({ endpointId, now, leaseUntil: now, waitingFrom: progress.next }));
    progress.fellBehind(now);
  }

  /**
   * The whole backlog was read. Deliveries committed from now on have their own due time; earlier ones are read once
   * more.
   */
  async #catchUp(): Promise<void> {
    const { bookId, endpointId } = this.#outbox;
    failpoint('backlog.catch-up.before');
    await this.#context.committer.submit(bookId, catchUp(endpointId));
    failpoint('backlog.catch-up.after');
    this.#progress.caughtUp();
  }

  async #end(): Promise<void> {
    const { log, clock } = this.#context;
    const progress = this.#progress;
    if (
      await this.#inTurn((pool) =>
        clearBacklog(pool, this.#outbox, { ...progress.lease, next: progress.next, rateFreeAt: this.#rateFreeAt() }),
      )
    ) {
      if (this.#context.clearLogged()) log.info(this.#names(), 'webhook endpoint caught up');
      progress.cleared();
      return;
    }
    // Deliveries joined the backlog, another process reported the endpoint behind again, or the lease was lost.
    if (await this.#keep(progress.next)) progress.fellBehind(Math.floor(clock.now()));
  }

  /**
   * Renews the lease and records how far the backlog is drained. False when deliveries joined before that point, or the
   * lease was lost.
   */
  async #keep(from = this.#drainedTo()): Promise<boolean> {
    const until = Math.floor(this.#context.clock.now()) + LEASE_MS;
    return this.#write({ until, waitingFrom: from });
  }

  async #write(lease: LeaseWritten): Promise<boolean> {
    this.#keptAt = performance.now();
    const next = { ...lease, retryAttempts: this.#retryAttempts, rateFreeAt: this.#rateFreeAt() };
    this.#outbox.drain.renew(lease.until);
    const written = await this.#inTurn((pool) => keepBacklog(pool, this.#outbox, this.#progress.lease, next));
    return this.#progress.leaseWritten(lease, written);
  }

  #rateFreeAt(): number | null {
    return this.#outbox.pacer?.countedUntil(this.#context.clock.now(), performance.now()) ?? null;
  }

  #drainedTo(): bigint {
    const first = this.#outbox.first();
    const { next } = this.#progress;
    return first !== undefined && first < next ? first : next;
  }

  /** The endpoint accepts nothing: ends the lease with a later due time. */
  async #pause(): Promise<void> {
    const outbox = this.#outbox;
    this.#retryAttempts += 1;
    const from = await this.#giveBack(pauseMs(this.#retryAttempts, outbox.drain.retryAfterMs, this.#context.random));
    // Counting is slow, and the next attempt must not wait for it.
    if (this.#context.markLogged()) this.#logBacklog(from).catch(this.#context.warn);
  }

  async #logBacklog(from: bigint): Promise<void> {
    const { behindSince, lease } = this.#progress;
    const waiting = await this.#inTurn((pool) => countWaiting(pool, this.#outbox, from));
    const since = behindSince === null ? undefined : formatInstant(behindSince);
    const facts = { ...this.#names(), waiting, since, retryAt: formatInstant(lease.until) };
    this.#context.log.warn(facts, 'webhook endpoint is behind: it takes nothing, and its deliveries wait');
  }

  /** Ends the lease of the backlog, which is due again in this time. Resolves with the first event that may wait. */
  async #giveBack(inMs: number): Promise<bigint> {
    this.#outbox.skipUnsent();
    const waitingFrom = this.#drainedTo();
    const until = Math.floor(this.#context.clock.now()) + inMs;
    await this.#write({ until, waitingFrom });
    this.#progress.released();
    return waitingFrom;
  }

  #names() {
    const { bookId, endpointId } = this.#outbox;
    return { bookId, endpoint: publicId('webhookEndpoint', endpointId) };
  }
}
