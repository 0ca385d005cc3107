/**
 * Counts failures by a key, in windows of a minute. Too many block the key for the rest of its window. Each process
 * counts by itself.
 */
const WINDOW_MS = 60_000;
/**
 * Keys counted at once. Beyond them the one whose minute began first is forgotten, so that no flood of keys ends every
 * block at once. An attacker with more addresses still has to guess keys of 190 random bits.
 */
const MAX_KEYS = 10_000;

interface Failures {
  count: number;
  windowEndsAt: number;
}

export interface FailureLimit {
  /** Failures of a window with which a key is blocked. */
  readonly limit: number;
  readonly now?: () => number;
}

export class FailureCounts {
  readonly #limit: number;
  readonly #now: () => number;
  /** In the order in which their windows began. */
  readonly #byKey = new Map<string, Failures>();

  constructor({ limit, now = () => performance.now() }: FailureLimit) {
    this.#limit = limit;
    this.#now = now;
  }

  /** No key has failed: most processes need not look any up. */
  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  /** Seconds until the block on the key ends; 0 for a key that is not blocked. */
  blockedForSeconds(key: string): number {
    const failures = this.#byKey.get(key);
    const left = failures && failures.count >= this.#limit ? failures.windowEndsAt - this.#now() : 0;
    return left > 0 ? Math.ceil(left / 1000) : 0;
  }

  count(key: string): void {
    const now = this.#now();
    const known = this.#byKey.get(key);
    if (known && now < known.windowEndsAt) {
      known.count++;
      return;
    }
    this.#byKey.delete(key);
    this.#forget(now);
    this.#byKey.set(key, { count: 1, windowEndsAt: now + WINDOW_MS });
  }

  /** Windows that are over, and the oldest one where there is no room for another. */
  #forget(now: number): void {
    for (const [key, { windowEndsAt }] of this.#byKey) {
      if (now < windowEndsAt && this.#byKey.size < MAX_KEYS) return;
      this.#byKey.delete(key);
    }
  }
}
