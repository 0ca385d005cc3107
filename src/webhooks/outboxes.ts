/** The outboxes of this process, one for each endpoint, and the drains of their backlogs. */
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { BacklogDrain, type DrainContext } from './drain-backlog.ts';
import { Outbox, type OutboxContext } from './outbox.ts';

export interface OutboxesOptions extends Omit<OutboxContext, 'onLeft' | 'onEmpty'> {
  readonly drains: Omit<DrainContext, 'isClosed' | 'markTold' | 'clearTold' | 'warn'>;
  /** Receives the reason when work is left for later. */
  warn(error: unknown): void;
}

/**
 * Most outboxes kept. Beyond it, outboxes with nothing in hand are forgotten, with how their endpoints last answered.
 */
const REMEMBERED_MAX = 5_000;
/** An endpoint that is behind for days is logged once an hour. */
const TOLD_EVERY_MS = 3_600_000;
/** Another process holds the backlog, or it is not due. Deliveries left meanwhile have their own due time. */
const LEFT_ALONE_MS = 5_000;

export class Outboxes {
  readonly #options: OutboxesOptions;
  readonly #outboxes = new Map<Uuid, Outbox>();
  readonly #drains = new Map<Outbox, Promise<void>>();
  readonly #leftAloneUntil = new WeakMap<Outbox, number>();
  readonly #toldAt = new Map<Uuid, number>();
  #closed = false;

  constructor(options: OutboxesOptions) {
    this.#options = options;
  }

  of(bookId: BookId, endpointId: Uuid): Outbox {
    const known = this.#outboxes.get(endpointId);
    if (known) return known;
    const outbox = new Outbox(bookId, endpointId, {
      ...this.#options,
      onLeft: (left) => this.#onLeft(left),
      onEmpty: (empty) => this.#onEmpty(empty),
    });
    this.#outboxes.set(endpointId, outbox);
    if (this.#outboxes.size > REMEMBERED_MAX) this.#forgetOne();
    return outbox;
  }

  /** Drains an endpoint that is due, unless a drain is under way here or elsewhere. */
  drain(bookId: BookId, endpointId: Uuid): void {
    const outbox = this.of(bookId, endpointId);
    if (!this.#drains.has(outbox)) this.#begin(outbox, (context) => BacklogDrain.ofDue(context, outbox));
  }

  /** Leaves what was not sent. Resolves once all that was sent is recorded and the backlogs are released. */
  async close(): Promise<void> {
    this.#closed = true;
    const outboxes = [...this.#outboxes.values()];
    const settled = outboxes.map((outbox) => outbox.close());
    for (const outbox of outboxes) outbox.poke();
    await Promise.all([...settled, ...this.#drains.values()]);
  }

  #onLeft(outbox: Outbox): void {
    if (this.#closed || this.#drains.has(outbox)) return;
    if (performance.now() < (this.#leftAloneUntil.get(outbox) ?? 0)) {
      outbox.takeLeft();
      return;
    }
    this.#begin(outbox, (context) => BacklogDrain.ofLeft(context, outbox));
  }

  /** `drain` resolves with whether the backlog is empty. */
  #begin(outbox: Outbox, drain: (context: DrainContext) => Promise<boolean>): void {
    const running = drain(this.#context(outbox.endpointId))
      .catch((error) => {
        this.#options.warn(error);
        return false;
      })
      .then((over) => {
        outbox.takeLeft();
        this.#drains.delete(outbox);
        if (!over) this.#leftAloneUntil.set(outbox, performance.now() + LEFT_ALONE_MS);
        this.#onEmpty(outbox);
      });
    this.#drains.set(outbox, running);
  }

  #context(endpointId: Uuid): DrainContext {
    return {
      ...this.#options.drains,
      warn: this.#options.warn,
      isClosed: () => this.#closed,
      markTold: () => {
        const now = performance.now();
        if (now - (this.#toldAt.get(endpointId) ?? Number.NEGATIVE_INFINITY) < TOLD_EVERY_MS) return false;
        if (this.#toldAt.size >= REMEMBERED_MAX) this.#toldAt.clear();
        this.#toldAt.set(endpointId, now);
        return true;
      },
      clearTold: () => this.#toldAt.delete(endpointId),
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
