/** What an outbox knows of the drain of its endpoint. The drain (drain-backlog.ts, drain-in-order.ts) reports each step here. */
import type { Instant } from '../../values/clock.ts';

export class OutboxDrain {
  /** The drain reads events from this one on, so that a job for them is not needed. */
  #readsFrom: bigint | undefined;
  #leasedUntil: Instant | undefined;
  #hasUnrecorded = false;
  #retryAfterMs: number | null = null;

  /** Deliveries are sent as they are read, while the lease lasts. */
  begin(leasedUntil: Instant): void {
    this.#hasUnrecorded = false;
    this.#leasedUntil = leasedUntil;
  }

  renew(leasedUntil: Instant): void {
    this.#leasedUntil = leasedUntil;
  }

  /** Undefined: the endpoint has caught up, and what is committed from now on has jobs of its own. */
  readFrom(next: bigint | undefined): void {
    this.#readsFrom = next;
  }

  end(): void {
    this.#readsFrom = undefined;
    this.#leasedUntil = undefined;
  }

  /** A delivery of the backlog could be neither recorded nor marked stuck: the drain pauses. */
  leaveUnrecorded(): void {
    this.#hasUnrecorded = true;
  }

  /** By the receiver's last Retry-After. Null: by none. */
  askedToWait(retryAfterMs: number | null): void {
    this.#retryAfterMs = retryAfterMs;
  }

  get retryAfterMs(): number | null {
    return this.#retryAfterMs;
  }

  get hasUnrecorded(): boolean {
    return this.#hasUnrecorded;
  }

  /** Whether the endpoint is behind, and this process reads its events. */
  get isReading(): boolean {
    return this.#readsFrom !== undefined;
  }

  reads(eventSequence: bigint): boolean {
    return this.#readsFrom !== undefined && eventSequence >= this.#readsFrom;
  }

  /** A process that was stopped for longer than its lease sends nothing more of an endpoint with a rate. */
  isLeaseOver(now: Instant): boolean {
    return this.#leasedUntil !== undefined && now >= this.#leasedUntil;
  }
}
