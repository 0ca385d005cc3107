/** Failed authentications by client address: an IPv6 client is its network. */
import ipaddr from 'ipaddr.js';
import { FailureCounts, type FailureLimit } from './failure-counts.ts';
import { networkOf } from './network-of.ts';

/** A person with a wrong key retries a few times; a script with a wrong key retries a few times a second. */
const FAILURES_PER_WINDOW = 60;

export class AddressFailures {
  readonly #counts: FailureCounts;

  constructor(options: Partial<FailureLimit> = {}) {
    this.#counts = new FailureCounts({ limit: FAILURES_PER_WINDOW, ...options });
  }

  /** Seconds until the block on the address ends; 0 for an address that is not blocked. */
  blockedForSeconds(address: string): number {
    return this.#counts.isEmpty ? 0 : this.#counts.blockedForSeconds(networkOf(address));
  }

  /** What is no address (NOBODY of client-address.ts) may be everybody, and is never blocked. */
  count(address: string): void {
    if (ipaddr.isValid(address)) this.#counts.count(networkOf(address));
  }
}
