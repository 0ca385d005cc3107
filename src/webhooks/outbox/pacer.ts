/**
 * Limits the attempts of one endpoint to its rate: at most so many within any second, as the receiver counts them. A
 * request may be on its way for some time, so an attempt counts until a second after its answer. A slow answer does not
 * lower the rate: the request itself arrives soon after it was sent.
 *
 * One process at a time sends to such an endpoint, by the lease of its backlog. With the lease it hands over until when
 * its last attempts count.
 */
import type { Instant } from '../../values/clock.ts';

const WINDOW_MS = 1_000;
/** A request has arrived by then, although its answer has not: a handshake and a round trip over the world. */
const ARRIVES_WITHIN_MS = 250;

/** An attempt in progress. */
export interface Paced {
  /** Until when it counts, in monotonic milliseconds. */
  until: number;
}

export class Pacer {
  #perSecond: number;
  #counted: Paced[] = [];
  /** Monotonic milliseconds before which nothing is sent: attempts of another process count until then. */
  #notBefore = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  set perSecond(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Milliseconds until an attempt may begin; 0 if one may. `now` is monotonic. */
  waitMs(now: number): number {
    this.#counted = this.#counted.filter(({ until }) => until > now);
    const free = Math.max(this.#notBefore - now, 0);
    if (this.#counted.length < this.#perSecond) return free;
    // With a rate that was lowered, several have to end first.
    const ends = this.#counted.map(({ until }) => until).sort((a, b) => a - b);
    return Math.max(free, ends[this.#counted.length - this.#perSecond]! - now);
  }

  begin(now: number): Paced {
    const paced = { until: now + ARRIVES_WITHIN_MS + WINDOW_MS };
    this.#counted.push(paced);
    return paced;
  }

  end(paced: Paced, now: number): void {
    paced.until = Math.min(paced.until, now + WINDOW_MS);
  }

  /** Attempts of whoever sent before count until then. Clocks of two machines differ, so no longer than an attempt can. */
  countUntil(at: Instant | null, wall: Instant, now: number): void {
    if (at === null) return;
    this.#notBefore = Math.max(this.#notBefore, now + Math.min(at - wall, ARRIVES_WITHIN_MS + WINDOW_MS));
  }

  /** Until when the attempts so far count, as wall-clock time; null if none does. */
  countedUntil(wall: Instant, now: number): Instant | null {
    const last = Math.max(this.#notBefore, ...this.#counted.map(({ until }) => until));
    return last <= now ? null : Math.ceil(wall + (last - now));
  }
}
