/** The outboxes of this process, one for each endpoint, and the drains of their backlogs. */

import type { BookId } from '../../ledger/book/book.ts';
import { BoundedMap } from '../../values/bounded-map.ts';
import type { Uuid } from '../../values/ids.ts';
import { Outbox, type OutboxContext } from '../outbox/outbox.ts';
import type { DrainContext } from './drain-backlog.ts';
import { drainDue, drainSkipped } from './drain-endpoint.ts';

export interface OutboxesOptions extends Omit<OutboxContext, 'onSkipped' | 'onEmpty'> {
  readonly drains: Omit<DrainContext, 'isClosed' | 'markLogged' | 'clearLogged' | 'warn'>;
  /** Receives the reason when work is postponed. */
  warn(error: unknown): void;
}

/**
 * Most outboxes kept. Beyond it, empty outboxes are dropped, and with them the measured concurrency of their endpoints.
 */
const REMEMBERED_MAX = 5_000;
/** An endpoint that is behind for days is logged once an hour. */
const LOGGED_EVERY_MS = 3_600_000;
/**
 * How long no drain begins when another process has the lease or the backlog is not due. Skipped deliveries have their
 * own due time.
 */
const NO_DRAIN_MS = 5_000;

export class Outboxes {
  readonly #options: OutboxesOptions;
  readonly #outboxes = new Map<Uuid, Outbox>();
  readonly #drains = new Map<Outbox, Promise<void>>();
  readonly #noDrainUntil = new WeakMap<Outbox, number>();
  readonly #loggedAt = new BoundedMap<Uuid, number>(REMEMBERED_MAX);
  #closed = false;

  constructor(options: OutboxesOptions) {
    this.#options = options;
  }

  of(bookId: BookId, endpointId: Uuid): Outbox {
    const known = this.#outboxes.get(endpointId);
    if (known) return known;
    const outbox = new Outbox(bookId, endpointId, {
      ...this.#options,
      onSkipped: (skipping) => this.#onSkipped(skipping),
      onEmpty: (empty) => this.#onEmpty(empty),
    });
    this.#outboxes.set(endpointId, outbox);
    if (this.#outboxes.size > REMEMBERED_MAX) this.#forgetOne();
    return outbox;
  }

  /** Drains an endpoint that is due, unless a drain is in progress, here or in another process. */
  drain(bookId: BookId, endpointId: Uuid): void {
    const outbox = this.of(bookId, endpointId);
    if (!this.#drains.has(outbox)) this.#begin(outbox, (context) => drainDue(context, outbox));
  }

  /** Skips unsent deliveries. Resolves once all results of sent ones are recorded and the leases have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    const outboxes = [...this.#outboxes.values()];
    const closed = outboxes.map((outbox) => outbox.close());
    for (const outbox of outboxes) outbox.poke();
    await Promise.all([...closed, ...this.#drains.values()]);
  }

  #onSkipped(outbox: Outbox): void {
    if (this.#closed || this.#drains.has(outbox)) return;
    // Of an endpoint that is always drained each delivery comes this way, and none is in memory.
    if (!outbox.isDrained && performance.now() < (this.#noDrainUntil.get(outbox) ?? 0)) {
      outbox.takeSkipped();
      return;
    }
    this.#begin(outbox, (context) => drainSkipped(context, outbox));
  }

  /** `drain` resolves with whether the backlog is empty. */
  #begin(outbox: Outbox, drain: (context: DrainContext) => Promise<boolean>): void {
    const running = drain(this.#context(outbox.endpointId))
      .catch((error) => {
        this.#options.warn(error);
        return false;
      })
      .then((over) => {
        this.#drains.delete(outbox);
        if (!over) this.#noDrainUntil.set(outbox, performance.now() + NO_DRAIN_MS);
        // Deliveries that came as the drain ended. The process that has the lease by now is notified.
        if (outbox.isDrained && outbox.hasSkipped) this.#onSkipped(outbox);
        else outbox.takeSkipped();
        this.#onEmpty(outbox);
      });
    this.#drains.set(outbox, running);
  }

  #context(endpointId: Uuid): DrainContext {
    return {
      ...this.#options.drains,
      warn: this.#options.warn,
      isClosed: () => this.#closed,
      markLogged: () => {
        const now = performance.now();
        if (now - (this.#loggedAt.get(endpointId) ?? Number.NEGATIVE_INFINITY) < LOGGED_EVERY_MS) return false;
        this.#loggedAt.set(endpointId, now);
        return true;
      },
      clearLogged: () => this.#loggedAt.delete(endpointId),
    };
  }

  #onEmpty(outbox: Outbox): void {
    if (outbox.size === 0 && outbox.concurrency.isUnremarkable && !this.#drains.has(outbox))
      this.#outboxes.delete(outbox.endpointId);
  }

  #forgetOne(): void {
    for (const [endpointId, outbox] of this.#outboxes) {
      if (outbox.size > 0 || this.#drains.has(outbox)) continue;
      this.#outboxes.delete(endpointId);
      return;
    }
  }
}
