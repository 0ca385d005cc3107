/**
 * The deliveries of one endpoint that this process holds in memory: deliveries named by jobs, and deliveries read from the
 * backlog. No delivery waits here for long, and no job waits for the outbox. The outbox skips a delivery for which it has
 * no room, and the endpoint falls behind.
 */

import type { BookId } from '../ledger/book.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';
import { type Attempt, type DeliveryInHand, type DeliveryKey, hasArrived, isReady } from './delivery.ts';
import { EndpointConcurrency } from './endpoint-concurrency.ts';
import { type Item, type LoadedItem, newItem } from './outbox-item.ts';
import type { Slots } from './slots.ts';

export interface OutboxContext {
  /** For attempts in progress. */
  readonly slots: Slots;
  /** For deliveries in memory that jobs named. */
  readonly memory: Slots;
  now(): Instant;
  load(bookId: BookId, key: DeliveryKey): Promise<DeliveryInHand | undefined>;
  /** Makes an attempt. Undefined if a bug prevented it: the delivery is marked stuck. Rejects if marking failed. */
  send(bookId: BookId, delivery: DeliveryInHand): Promise<Attempt | undefined>;
  /** Records the result of an attempt, or of no attempt (null). */
  settle(bookId: BookId, delivery: DeliveryInHand, attempt: Attempt | null): Promise<void>;
  /** Deliveries were skipped (takeSkipped). */
  onSkipped(outbox: Outbox): void;
  /** The outbox is empty. */
  onEmpty(outbox: Outbox): void;
}

/** Most attempts that wait to be recorded. Beyond it nothing more is loaded. */
const UNRECORDED_MAX = 1_000;
/** Most deliveries named by jobs that are loaded or being loaded. */
const LOADED_MAX = 500;

export class Outbox {
  readonly bookId: BookId;
  readonly endpointId: Uuid;
  readonly concurrency = new EndpointConcurrency();
  /** The drain reads events from this one on, so that a job for them is not needed. */
  readFrom: bigint | undefined;
  /** The receiver's last Retry-After, in milliseconds. */
  retryAfterMs: number | null = null;
  /** A delivery could be neither recorded nor marked stuck. */
  unrecorded = false;
  readonly #context: OutboxContext;
  readonly #items = new Map<bigint, Item>();
  #named: Item[] = [];
  #loading = 0;
  #gathering = false;
  /** No slot was free for the last attempt. */
  #refused = false;
  #loaded: LoadedItem[] = [];
  #skippedFrom: bigint | undefined;
  #closed = false;
  #onChange: (() => void) | undefined;
  #change: Promise<void> | undefined;

  constructor(bookId: BookId, endpointId: Uuid, context: OutboxContext) {
    this.bookId = bookId;
    this.endpointId = endpointId;
    this.#context = context;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Deliveries that are loaded and not sent. */
  get ready(): number {
    return this.#loaded.length;
  }

  /** Deliveries that are sent and not recorded. */
  get unsettled(): number {
    return this.#items.size - this.#waiting - this.concurrency.inFlight;
  }

  get #waiting(): number {
    return this.#named.length + this.#loading + this.#loaded.length;
  }

  /** Takes a delivery that a job named. Resolves once its result is recorded, or at once when it is skipped. */
  offer(key: DeliveryKey, { atOnce = false } = {}): Promise<void> {
    const known = this.#items.get(key.eventSequence);
    if (known) return known.ended;
    if (this.#closed) return Promise.resolve();
    if (!atOnce && this.readFrom !== undefined && key.eventSequence >= this.readFrom) return Promise.resolve();
    const mayWait =
      atOnce ||
      this.concurrency.inFlight + this.#waiting < this.concurrency.limit ||
      this.#waiting < this.concurrency.waitingMax;
    if (!mayWait || !this.#context.memory.take(this.bookId)) {
      this.skip(key.eventSequence);
      this.#context.onSkipped(this);
      return Promise.resolve();
    }
    const item = this.#take(key, { fromBacklog: false, atOnce });
    if (atOnce) this.#loadItem(item);
    else {
      this.#named.push(item);
      this.#load();
    }
    return item.ended;
  }

  /** Takes deliveries of the backlog, except those that the outbox holds already. */
  add(deliveries: readonly DeliveryInHand[]): void {
    for (const delivery of deliveries) {
      const known = this.#items.get(delivery.eventSequence);
      if (known) {
        known.alsoInBacklog = true;
        continue;
      }
      const { eventSequence, endpointId } = delivery;
      this.#loaded.push({ item: this.#take({ eventSequence, endpointId }, { fromBacklog: true }), delivery });
    }
    this.#send();
  }

  /** The first event whose delivery was skipped since the last call. */
  takeSkipped(): bigint | undefined {
    const skipped = this.#skippedFrom;
    this.#skippedFrom = undefined;
    return skipped;
  }

  /** Skips the delivery of an event: it was not taken or not recorded, and the drain of the backlog reads it again. */
  skip(eventSequence: bigint): void {
    if (this.#skippedFrom === undefined || eventSequence < this.#skippedFrom) this.#skippedFrom = eventSequence;
  }

  /** The first event of the backlog that is in the outbox or was skipped. */
  first(): bigint | undefined {
    let first = this.#skippedFrom;
    for (const { key, alsoInBacklog } of this.#items.values())
      if (alsoInBacklog && (first === undefined || key.eventSequence < first)) first = key.eventSequence;
    return first;
  }

  /** Resolves when a delivery leaves the outbox, or at poke(). */
  changed(): Promise<void> {
    this.#change ??= new Promise((resolve) => {
      this.#onChange = resolve;
    });
    return this.#change;
  }

  /** Ends the wait of changed(). */
  readonly poke = (): void => {
    this.#onChange?.();
    this.#onChange = undefined;
    this.#change = undefined;
  };

  /** Skips all deliveries that were not sent. */
  skipUnsent(): void {
    const unsent = [...this.#named.splice(0), ...this.#loaded.splice(0).map(({ item }) => item)];
    for (const item of unsent) {
      this.skip(item.key.eventSequence);
      this.#end(item);
    }
    if (unsent.length > 0) this.#context.onSkipped(this);
  }

  /** Takes and sends no more. Resolves once all sent deliveries are recorded. */
  async close(): Promise<void> {
    this.#closed = true;
    this.skipUnsent();
    await Promise.allSettled([...this.#items.values()].map(({ ended }) => ended));
  }

  #take(key: DeliveryKey, { fromBacklog, atOnce = false }: { fromBacklog: boolean; atOnce?: boolean }): Item {
    const item = newItem(key, { fromBacklog, atOnce });
    this.#items.set(key.eventSequence, item);
    return item;
  }

  #end(item: Item, error?: unknown): void {
    this.#items.delete(item.key.eventSequence);
    if (!item.fromBacklog) this.#context.memory.release(this.bookId);
    item.end(error);
    this.poke();
    if (this.#items.size === 0) this.#context.onEmpty(this);
  }

  #load(): void {
    if (this.#closed || this.#named.length === 0 || this.unsettled > UNRECORDED_MAX) return;
    // A book without a free slot loads one at a time: more would only fill the memory.
    const most = this.#refused ? 1 : LOADED_MAX;
    // Deliveries named in one turn of the event loop share a query; later ones gather for the next query.
    if (this.#loading > 0 ? !this.#gathering : this.#loaded.length > most / 2) return;
    const room = most - this.#loading - this.#loaded.length;
    if (room <= 0) return;
    if (!this.#gathering) {
      this.#gathering = true;
      setImmediate(() => {
        this.#gathering = false;
      });
    }
    for (const item of this.#named.splice(0, room)) this.#loadItem(item);
  }

  #loadItem(item: Item): void {
    this.#loading += 1;
    this.#context.load(this.bookId, item.key).then(
      (delivery) => this.#admit(item, delivery),
      (error) => {
        this.#loading -= 1;
        this.#skipUnrecorded(item, error);
      },
    );
  }

  #admit(item: Item, delivery: DeliveryInHand | undefined): void {
    this.#loading -= 1;
    if (!delivery || (this.#isOfOtherProcess(delivery) && !item.alsoInBacklog && !item.atOnce)) this.#end(item);
    else if (delivery.endpoint.status !== 'enabled') void this.#settle(item, delivery, null);
    else if (!isReady(delivery, this.#context.now())) this.#end(item);
    else if (this.#closed) {
      this.skip(item.key.eventSequence);
      this.#end(item);
    } else if (item.atOnce && this.#context.slots.take(this.bookId)) void this.#attempt(item, delivery);
    else if (item.atOnce) this.#loaded.unshift({ item, delivery });
    else this.#loaded.push({ item, delivery });
    this.#send();
  }

  /** Another process has reported the endpoint behind: its drain makes the delivery. */
  #isOfOtherProcess({ endpoint }: DeliveryInHand): boolean {
    return endpoint.behindSince !== null && this.readFrom === undefined;
  }

  /** Called again by Slots when a slot is free. */
  readonly #send = (): void => {
    while (this.#loaded.length > 0 && !this.concurrency.isFull) {
      const { item, delivery } = this.#loaded[0]!;
      if (delivery.endpoint.status !== 'enabled') {
        this.#loaded.shift();
        void this.#settle(item, delivery, null);
        continue;
      }
      this.#refused = !this.#context.slots.take(this.bookId, this.#send);
      if (this.#refused) break;
      this.#loaded.shift();
      void this.#attempt(item, delivery);
    }
    this.#load();
  };

  async #attempt(item: Item, delivery: DeliveryInHand): Promise<void> {
    const begun = this.concurrency.begin();
    let attempt: Attempt | undefined;
    let failure: { error: unknown } | undefined;
    try {
      attempt = await this.#context.send(this.bookId, delivery);
    } catch (error) {
      failure = { error };
    }
    if (attempt) {
      const arrived = hasArrived(attempt);
      this.retryAfterMs = arrived ? null : attempt.retryAfterMs;
      this.concurrency.end(begun, { arrived, durationMs: attempt.durationMs });
    } else this.concurrency.drop();
    this.#context.slots.release(this.bookId);
    if (this.concurrency.isFailing) this.skipUnsent();
    if (attempt) void this.#settle(item, delivery, attempt);
    else if (failure) this.#skipUnrecorded(item, failure.error);
    else this.#end(item);
    this.#send();
  }

  async #settle(item: Item, delivery: DeliveryInHand, attempt: Attempt | null): Promise<void> {
    try {
      await this.#context.settle(this.bookId, delivery, attempt);
      this.#end(item);
    } catch (error) {
      this.#skipUnrecorded(item, error);
    }
    if (this.#named.length > 0) this.#load();
  }

  /** A delivery that only a job named has its own due time. A delivery of the backlog is read again. */
  #skipUnrecorded(item: Item, error?: unknown): void {
    if (item.alsoInBacklog) {
      this.skip(item.key.eventSequence);
      this.unrecorded = true;
    }
    this.#end(item, error);
  }
}
