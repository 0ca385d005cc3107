/**
 * The deliveries of one endpoint that this process has in memory: deliveries named by jobs, and deliveries read from
 * the backlog. No delivery waits here for long, and no job waits for the outbox. The outbox skips a delivery for which
 * it has no room, and the endpoint falls behind.
 */

import type { Slots } from '../../fairness/slots.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import {
  type Attempt,
  type DeliveryEndpoint,
  type DeliveryInHand,
  type DeliveryKey,
  hasArrived,
  isDrained,
  isReady,
} from '../deliveries/delivery.ts';
import { EndpointConcurrency } from './endpoint-concurrency.ts';
import { OutboxDrain } from './outbox-drain.ts';
import { Pacer } from './pacer.ts';

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
  record(bookId: BookId, delivery: DeliveryInHand, attempt: Attempt | null): Promise<unknown>;
  /** Deliveries were skipped (takeSkipped). */
  onSkipped(outbox: Outbox): void;
  /** The outbox is empty. */
  onEmpty(outbox: Outbox): void;
}

/** The next page of a backlog is read when this many deliveries per attempt are ready, because reading takes some milliseconds. */
const AHEAD_PER_ATTEMPT = 4;
/** Most attempts that wait to be recorded. Beyond it nothing more is loaded. */
const UNRECORDED_MAX = 1_000;
/** Most deliveries named by jobs that are loaded or being loaded. */
const LOADED_MAX = 500;

export class Outbox {
  readonly bookId: BookId;
  readonly endpointId: Uuid;
  readonly concurrency = new EndpointConcurrency();
  readonly drain = new OutboxDrain();
  #pacer: Pacer | undefined;
  #ordered = false;
  readonly #context: OutboxContext;
  readonly #items = new Map<bigint, Item>();
  #named: Item[] = [];
  #loading = 0;
  #gathering = false;
  /** No slot was free for the last attempt. */
  #refused = false;
  /** For the moment at which the rate allows the next attempt. */
  #pacing: NodeJS.Timeout | undefined;
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

  /** The rate of the endpoint, if it has one. */
  get pacer(): Pacer | undefined {
    return this.#pacer;
  }

  /** The endpoint's deliveries are sent in order (drain-in-order.ts). */
  get ordered(): boolean {
    return this.#ordered;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Deliveries that are loaded and not sent. */
  get ready(): number {
    return this.#loaded.length;
  }

  /** Deliveries that are sent and not recorded. */
  get inHand(): number {
    return this.#items.size - this.#waiting - this.concurrency.inFlight;
  }

  /** Deliveries of the backlog that are ready before the next page is read. */
  get readAhead(): number {
    return Math.min(this.concurrency.limit * AHEAD_PER_ATTEMPT, this.#pacer?.perSecond ?? Number.POSITIVE_INFINITY);
  }

  /** Whether one process has to drain the endpoint, by its last delivery. */
  get isDrained(): boolean {
    return this.#ordered || this.#pacer !== undefined;
  }

  /** Order and rate, as the endpoint's row has them. */
  adopt({ ordered = false, ratePerSecond = null }: DeliveryEndpoint): void {
    this.#ordered = ordered;
    if (ratePerSecond === null) this.#pacer = undefined;
    else if (this.#pacer) this.#pacer.perSecond = ratePerSecond;
    else this.#pacer = new Pacer(ratePerSecond);
  }

  has(eventSequence: bigint): boolean {
    return this.#items.has(eventSequence);
  }

  /** Resolves once the delivery of an event is not in the outbox. */
  async ended(eventSequence: bigint): Promise<void> {
    await this.#items.get(eventSequence)?.ended.catch(() => undefined);
  }

  get #waiting(): number {
    return this.#named.length + this.#loading + this.#loaded.length;
  }

  /** Takes a delivery that a job named. Resolves once its result is recorded, or at once when it is skipped. */
  offer(key: DeliveryKey, { atOnce = false } = {}): Promise<void> {
    const known = this.#items.get(key.eventSequence);
    if (known) return known.ended;
    if (this.#closed) return Promise.resolve();
    if (!atOnce && this.drain.reads(key.eventSequence)) return Promise.resolve();
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

  /** Adds deliveries of the backlog, except those that the outbox has already. */
  add(deliveries: readonly DeliveryInHand[]): void {
    if (deliveries[0]) this.adopt(deliveries[0].endpoint);
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

  get hasSkipped(): boolean {
    return this.#skippedFrom !== undefined;
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
    clearTimeout(this.#pacing);
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
    if (!item.fromBacklog) this.#context.memory.giveBack(this.bookId);
    item.end(error);
    this.poke();
    if (this.#items.size === 0) this.#context.onEmpty(this);
  }

  #load(): void {
    if (this.#closed || this.#named.length === 0 || this.inHand > UNRECORDED_MAX) return;
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
    else if (delivery.endpoint.status !== 'enabled') void this.#record(item, delivery, null);
    else if (!isReady(delivery, this.#context.now())) this.#end(item);
    else if (this.#closed) {
      this.skip(item.key.eventSequence);
      this.#end(item);
    } else if (this.#mustWait(item, delivery)) {
      this.skip(item.key.eventSequence);
      this.#context.onSkipped(this);
      this.#end(item);
    } else if (item.atOnce && this.#context.slots.take(this.bookId)) void this.#attempt(item, delivery);
    else if (item.atOnce) this.#loaded.unshift({ item, delivery });
    else this.#loaded.push({ item, delivery });
    this.#send();
  }

  /** The drain of the endpoint sends it, in its turn. */
  #mustWait(item: Item, { endpoint }: DeliveryInHand): boolean {
    this.adopt(endpoint);
    return isDrained(endpoint) && !item.atOnce && !item.alsoInBacklog;
  }

  /** Whether the rate lets nothing begin now. Then #send is called again once it does. */
  #isPaced(): boolean {
    if (!this.#pacer) return false;
    const waitMs = this.#pacer.waitMs(performance.now());
    if (waitMs === 0) return false;
    clearTimeout(this.#pacing);
    this.#pacing = setTimeout(this.#send, Math.ceil(waitMs));
    return true;
  }

  /** Another process has reported the endpoint behind: its drain makes the delivery. */
  #isOfOtherProcess({ endpoint }: DeliveryInHand): boolean {
    return endpoint.behindSince !== null && !this.drain.isReading;
  }

  /** Called again by Slots when a slot is free. */
  readonly #send = (): void => {
    while (this.#loaded.length > 0 && !this.concurrency.isFull) {
      const { item, delivery } = this.#loaded[0]!;
      if (delivery.endpoint.status !== 'enabled') {
        this.#loaded.shift();
        void this.#record(item, delivery, null);
        continue;
      }
      if (this.#pacer && this.drain.isLeaseOver(this.#context.now())) {
        this.skipUnsent();
        break;
      }
      if (this.#isPaced()) break;
      this.#refused = !this.#context.slots.take(this.bookId, this.#send);
      if (this.#refused) break;
      this.#loaded.shift();
      void this.#attempt(item, delivery);
    }
    this.#load();
  };

  async #attempt(item: Item, delivery: DeliveryInHand): Promise<void> {
    const begun = this.concurrency.begin();
    const paced = this.#pacer?.begin(performance.now());
    let attempt: Attempt | undefined;
    let failure: { error: unknown } | undefined;
    try {
      attempt = await this.#context.send(this.bookId, delivery);
    } catch (error) {
      failure = { error };
    }
    if (paced) this.#pacer?.end(paced, performance.now());
    if (attempt) {
      const arrived = hasArrived(attempt);
      this.drain.askedToWait(arrived ? null : attempt.retryAfterMs);
      this.concurrency.end(begun, { arrived, durationMs: attempt.durationMs });
    } else this.concurrency.drop();
    this.#context.slots.giveBack(this.bookId);
    if (this.concurrency.isFailing) this.skipUnsent();
    if (attempt) void this.#record(item, delivery, attempt);
    else if (failure) this.#skipUnrecorded(item, failure.error);
    else this.#end(item);
    this.#send();
  }

  async #record(item: Item, delivery: DeliveryInHand, attempt: Attempt | null): Promise<void> {
    try {
      await this.#context.record(this.bookId, delivery, attempt);
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
      this.drain.leaveUnrecorded();
    }
    this.#end(item, error);
  }
}

/** A delivery in an outbox. */
interface Item {
  readonly key: DeliveryKey;
  readonly fromBacklog: boolean;
  /** The backlog contains the delivery too, so that it may have no due time of its own. */
  alsoInBacklog: boolean;
  /** Waits for nothing but a slot: neither behind the backlog nor for the endpoint's concurrency. */
  readonly atOnce: boolean;
  readonly ended: Promise<void>;
  readonly end: (error?: unknown) => void;
}

interface LoadedItem {
  readonly item: Item;
  readonly delivery: DeliveryInHand;
}

function newItem(key: DeliveryKey, { fromBacklog, atOnce }: Pick<Item, 'fromBacklog' | 'atOnce'>): Item {
  let end: Item['end'] | undefined;
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  if (fromBacklog) ended.catch(() => undefined);
  return { key, fromBacklog, alsoInBacklog: fromBacklog, atOnce, ended, end: end! };
}
