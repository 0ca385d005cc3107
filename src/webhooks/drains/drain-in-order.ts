/**
 * Drains the backlog of an ordered endpoint: one delivery at a time, in the order of the events. The next one is sent once
 * the one before is recorded as delivered. A delivery that waits for its retry, or that a bug has stopped, delays all
 * behind it. The end of its attempts disables the endpoint before it is recorded (deliver-webhook.ts), so that no kill
 * between the two skips it.
 *
 * The process has the lease of the backlog, as any drain has (drain-backlog.ts). Replays of the endpoint are carried out
 * first: what they add is older than what waits.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { LEASE_MS } from '../backlogs/backlog.ts';
import { clearBacklog, keepBacklog, type LeasedBacklog } from '../backlogs/backlog-store.ts';
import { catchUp } from '../backlogs/change-backlog.ts';
import { isReady } from '../deliveries/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { DrainContext } from './drain-backlog.ts';
import { DrainProgress, type LeaseWritten } from './drain-progress.ts';
import { loadInOrder, type NextInOrder } from './in-order-store.ts';

/** The lease is renewed before half of it has passed. */
const KEEP_EVERY_MS = 20_000;
/** Deliveries in memory: as many as a quick endpoint takes within a second. */
const PAGE = 20;
/** A delivery that a bug has stopped waits for an operator, whose retry makes it due by itself. */
const STUCK_MS = 60_000;

export class OrderedDrain {
  readonly #context: DrainContext;
  readonly #outbox: Outbox;
  readonly #progress: DrainProgress;
  /** When the lease was last written, in monotonic milliseconds. */
  #keptAt = performance.now();
  /** The event whose delivery is next in the page. */
  #head: bigint | undefined;
  #isFirst = true;

  constructor(context: DrainContext, outbox: Outbox, lease: LeasedBacklog) {
    this.#context = context;
    this.#outbox = outbox;
    this.#progress = new DrainProgress(lease);
  }

  /** Resolves with whether the backlog is empty. */
  async run(): Promise<boolean> {
    try {
      while (this.#progress.isOurs) await this.#step();
      return this.#progress.state === 'cleared';
    } finally {
      this.#outbox.drain.end();
    }
  }

  async #step(): Promise<void> {
    const progress = this.#progress;
    this.#head = undefined;
    if (this.#context.isClosed()) return this.#giveBack(0);
    if (!(await this.#isKept())) return;
    const skipped = this.#outbox.takeSkipped();
    if (skipped !== undefined) progress.goBackTo(skipped);
    this.#outbox.drain.readFrom(progress.isBehind ? progress.next : undefined);
    if (progress.isReading) return this.#sendPage();
    if (progress.isBehind) return this.#catchUp();
    return this.#end();
  }

  async #sendPage(): Promise<void> {
    const { pool, statements } = this.#context;
    const { bookId } = this.#outbox;
    const from = this.#progress.next;
    const { deliveries, next, end } = await statements.run(bookId, () =>
      loadInOrder(pool, this.#outbox, { from, limit: PAGE }),
    );
    if (await this.#isPreceded()) return;
    for (const delivery of deliveries) {
      this.#head = delivery.eventSequence;
      if (!(await this.#sendOne(delivery))) return;
    }
    this.#head = undefined;
    this.#progress.pageRead({ next, isLast: end, isSparse: false });
  }

  /** Whether deliveries of earlier events were added before the page was read. Then it is read again. */
  async #isPreceded(): Promise<boolean> {
    const { replays } = this.#context;
    const { bookId, endpointId } = this.#outbox;
    const { replayId, hasJoined } = await replays.preceding(bookId, endpointId);
    if (replayId !== null) {
      const { from } = await replays.carryOut(bookId, replayId);
      if (from !== undefined) this.#progress.goBackTo(from);
    } else if (hasJoined) await this.#write({ until: this.#leaseEnd(), waitingFrom: this.#progress.next });
    return replayId !== null || hasJoined;
  }

  /** Whether the delivery is over, and the next one may be sent. */
  async #sendOne(delivery: NextInOrder): Promise<boolean> {
    const { clock } = this.#context;
    const { bookId } = this.#outbox;
    if (this.#context.isClosed() || !(await this.#isKept())) return false;
    if (!delivery.endpoint.ordered) return this.#wait(0);
    if (this.#outbox.has(delivery.eventSequence)) {
      // A test event that is sent at once. The page is read again.
      await this.#outbox.ended(delivery.eventSequence);
      return false;
    }
    if (delivery.isStuck) return this.#wait(STUCK_MS);
    const isEnabled = delivery.endpoint.status === 'enabled';
    if (isEnabled && !isReady(delivery, clock.now())) return this.#wait((delivery.retryAt ?? 0) - clock.now());
    const result = isEnabled ? await this.#paced(delivery) : await this.#context.attempt(bookId, delivery);
    if (result === undefined) return this.#wait(STUCK_MS);
    if (result.status === 'pending') return this.#wait((result.retryAt ?? 0) - clock.now());
    // After a failure the endpoint is disabled, and the page is of before.
    return result.status !== 'failed';
  }

  async #paced(delivery: NextInOrder) {
    const { clock } = this.#context;
    const outbox = this.#outbox;
    outbox.adopt(delivery.endpoint);
    const { pacer } = outbox;
    if (!pacer) return this.#context.attempt(outbox.bookId, delivery);
    if (this.#isFirst) pacer.countUntil(delivery.endpoint.rateFreeAt ?? null, clock.now(), performance.now());
    this.#isFirst = false;
    for (;;) {
      const waitMs = pacer.waitMs(performance.now());
      if (waitMs === 0) break;
      await delay(Math.ceil(waitMs));
    }
    const paced = pacer.begin(performance.now());
    try {
      return await this.#context.attempt(outbox.bookId, delivery);
    } finally {
      pacer.end(paced, performance.now());
    }
  }

  /** Ends the lease for this long. */
  async #wait(ms: number): Promise<false> {
    await this.#giveBack(Math.max(ms, 0));
    return false;
  }

  /** The whole backlog was sent. Deliveries committed from now on have their own due time; earlier ones are read once more. */
  async #catchUp(): Promise<void> {
    const { bookId, endpointId } = this.#outbox;
    await this.#context.committer.submit(bookId, catchUp(endpointId));
    this.#progress.caughtUp();
  }

  async #end(): Promise<void> {
    const { pool, statements, clock } = this.#context;
    const progress = this.#progress;
    const outbox = this.#outbox;
    const lease = { ...progress.lease, next: progress.next, rateFreeAt: this.#rateFreeAt() };
    if (await statements.run(outbox.bookId, () => clearBacklog(pool, outbox, lease))) return progress.cleared();
    // Deliveries joined the backlog, another process reported the endpoint behind again, or the lease was lost.
    if (await this.#write({ until: this.#leaseEnd(), waitingFrom: progress.next }))
      progress.fellBehind(Math.floor(clock.now()));
  }

  /** Renews the lease in time. False when it was lost, or when deliveries of earlier events joined: they are read first. */
  async #isKept(): Promise<boolean> {
    if (performance.now() - this.#keptAt < KEEP_EVERY_MS) return true;
    return this.#write({ until: this.#leaseEnd(), waitingFrom: this.#head ?? this.#progress.next });
  }

  #leaseEnd(): number {
    return Math.floor(this.#context.clock.now()) + LEASE_MS;
  }

  #rateFreeAt(): number | null {
    return this.#outbox.pacer?.countedUntil(this.#context.clock.now(), performance.now()) ?? null;
  }

  async #write(lease: LeaseWritten): Promise<boolean> {
    const { pool, statements } = this.#context;
    this.#keptAt = performance.now();
    const next = { ...lease, retryAttempts: 0, rateFreeAt: this.#rateFreeAt() };
    const written = await statements.run(this.#outbox.bookId, () =>
      keepBacklog(pool, this.#outbox, this.#progress.lease, next),
    );
    return this.#progress.leaseWritten(lease, written);
  }

  async #giveBack(inMs: number): Promise<void> {
    const until = Math.floor(this.#context.clock.now()) + inMs;
    await this.#write({ until, waitingFrom: this.#head ?? this.#progress.next });
    this.#progress.released();
  }
}
