/**
 * Inquiries that anybody may cause, by opening a link: one is under way for a name at a time, its answer is shared by all who ask
 * meanwhile, and none begins sooner than some seconds after the last. Who asks too soon waits for the next one. Each process counts
 * by itself.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** A payer who comes back is answered at once. Who reloads learns no more by asking sooner: a notice comes as fast. */
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

  /** Resolves or rejects as the inquiry does: the same one for all who ask under a name while it waits or is under way. */
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
