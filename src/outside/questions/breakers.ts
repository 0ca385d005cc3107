/**
 * Spares a party that does not answer, and those who would wait for it: after five failures in a row its breaker is open, and calls are
 * not made. Once a second one is let through, to find out whether the party is back; its answer counts like any other. Breakers are of
 * one process.
 */
import { BoundedMap } from '../../values/bounded-map.ts';

/** A breaker that is closed and has counted nothing is not kept. */
interface Failing {
  /** From FAILURES_TO_OPEN on the breaker is open. */
  failuresInARow: number;
  /** When the next call is let through an open breaker. */
  probeAt: number;
}

const FAILURES_TO_OPEN = 5;
const PROBE_EVERY_MS = 1_000;
/** Some 200 bytes each. The breaker of a party whose calls are longest ago is closed. */
const FAILING_MAX = 10_000;

export class Breakers {
  readonly #failing = new BoundedMap<string, Failing>(FAILING_MAX);
  readonly #now: () => number;

  constructor({ now = () => performance.now() }: { now?: () => number } = {}) {
    this.#now = now;
  }

  /** Whether a call may be made now. Of an open breaker, true means that this call is the probe. */
  admits(party: string): boolean {
    const failing = this.#failing.get(party);
    if (failing === undefined || failing.failuresInARow < FAILURES_TO_OPEN) return true;
    const now = this.#now();
    if (now < failing.probeAt) return false;
    failing.probeAt = now + PROBE_EVERY_MS;
    return true;
  }

  /** Closes the breaker, also for a call that was made before it opened. */
  answered(party: string): void {
    this.#failing.delete(party);
  }

  failed(party: string): void {
    const failing = this.#failing.get(party) ?? { failuresInARow: 0, probeAt: 0 };
    failing.failuresInARow += 1;
    if (failing.failuresInARow === FAILURES_TO_OPEN) failing.probeAt = this.#now() + PROBE_EVERY_MS;
    this.#failing.set(party, failing);
  }
}
