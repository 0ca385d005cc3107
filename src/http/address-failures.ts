/**
 * Counts failed authentications by client address. Too many in a minute block the address for the rest of it. Each
 * process counts by itself. What is no address (NOBODY of client-address.ts) is never blocked.
 */
import ipaddr from 'ipaddr.js';
import { networkOf } from './network-of.ts';

/** A person with a wrong key retries a few times; a script with a wrong key retries a few times a second. */
const FAILURES_PER_WINDOW = 60;
const WINDOW_MS = 60_000;
/**
 * Addresses counted at once. Beyond them the one whose minute began first is forgotten, so that no flood of addresses ends
 * every block at once. An attacker with more addresses still has to guess keys of 190 random bits.
 */
const MAX_ADDRESSES = 10_000;

interface Failures {
  count: number;
  windowEndsAt: number;
}

export class AddressFailures {
  readonly #limit: number;
  readonly #now: () => number;
  /** In the order in which their windows began. */
  readonly #byAddress = new Map<string, Failures>();

  constructor(options: { limit?: number; now?: () => number } = {}) {
    this.#limit = options.limit ?? FAILURES_PER_WINDOW;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Seconds until the block on the address ends; 0 for an address that is not blocked. */
  blockedForSeconds(address: string): number {
    // Most processes have seen no failure, and need not parse the address.
    if (this.#byAddress.size === 0) return 0;
    const failures = this.#byAddress.get(networkOf(address));
    const left = failures && failures.count >= this.#limit ? failures.windowEndsAt - this.#now() : 0;
    return left > 0 ? Math.ceil(left / 1000) : 0;
  }

  count(address: string): void {
    // Nobody's address may be everybody's.
    if (!ipaddr.isValid(address)) return;
    const now = this.#now();
    const key = networkOf(address);
    const known = this.#byAddress.get(key);
    if (known && now < known.windowEndsAt) {
      known.count++;
      return;
    }
    this.#byAddress.delete(key);
    this.#forget(now);
    this.#byAddress.set(key, { count: 1, windowEndsAt: now + WINDOW_MS });
  }

  /** Windows that are over, and the oldest one where there is no room for another. */
  #forget(now: number): void {
    for (const [key, { windowEndsAt }] of this.#byAddress) {
      if (now < windowEndsAt && this.#byAddress.size < MAX_ADDRESSES) return;
      this.#byAddress.delete(key);
    }
  }
}
