/**
 * Inquiries that anybody may cause, by opening a link: one at a time for a name. All callers meanwhile get its answer.
 * The next begins some seconds after the last at the earliest, and earlier callers wait for it. Each process counts by
 * itself.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** A payer who returns is answered at once. Reloading sooner shows nothing more: a notice comes as fast. */
const PAUSE_MS = 3_000;

interface Known {
  underWay: Promise<unknown> | undefined;
  endedAt: number;
}

export class SharedInquiries {
  readonly #known = new Map<string, Known>();
  readonly #pauseMs: number;

  constructor({ pauseMs = PAUSE_MS } = {}) {
    this.#pauseMs = pauseMs;
  }

  /** Resolves or rejects as the inquiry does: the same inquiry for all callers under a name while it waits or is under way. */
  ask<Answer>(name: string, inquire: () => Promise<Answer>): Promise<Answer> {
    const known = this.#known.get(name) ?? { underWay: undefined, endedAt: Number.NEGATIVE_INFINITY };
    this.#known.set(name, known);
    known.underWay ??= this.#inquire(name, known, inquire);
    return known.underWay as Promise<Answer>;
  }

  async #inquire<Answer>(name: string, known: Known, inquire: () => Promise<Answer>): Promise<Answer> {
    const leftMs = known.endedAt + this.#pauseMs - performance.now();
    if (leftMs > 0) await delay(leftMs);
    try {
      return await inquire();
    } finally {
      known.endedAt = performance.now();
      known.underWay = undefined;
      setTimeout(() => known.underWay ?? this.#known.delete(name), this.#pauseMs).unref();
    }
  }
}
