/** Failed authentications by client address: an IPv6 client is its network. */

import { networkOf } from '../connections/network-of.ts';
import { FailureCounts, type FailureLimit } from './failure-counts.ts';

/** A person with a wrong key retries a few times; a script with a wrong key retries a few times a second. */
const FAILURES_PER_WINDOW = 60;

export class AddressFailures {
  readonly #counts: FailureCounts;

  constructor(options: Partial<FailureLimit> = {}) {
    this.#counts = new FailureCounts({ limit: FAILURES_PER_WINDOW, ...options });
  }

  /** Seconds until the block on the address ends; 0 for an address that is not blocked. */
  blockedForSeconds(address: string): number {
    const network = this.#counts.isEmpty ? undefined : networkOf(address);
    return network === undefined ? 0 : this.#counts.blockedForSeconds(network);
  }

  /** What is no address is never blocked. */
  count(address: string): void {
    const network = networkOf(address);
    if (network !== undefined) this.#counts.count(network);
  }
}
