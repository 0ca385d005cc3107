/** Work that follows a commit and is still under way in this process. A process that stops finishes it, within a limit. */
import { withinLimit } from '../process/time-limit.ts';

/** At once in one process. Beyond it the work is left to the workers, to whom the row is due. */
export const FOLLOWING_MAX = 1_000;

export class Following {
  readonly #warn: (error: unknown) => void;
  readonly #running = new Set<Promise<void>>();

  /** `warn` gets each failure. */
  constructor(warn: (error: unknown) => void) {
    this.#warn = warn;
  }

  /** Runs the work after a commit. Never rejects: the commit stands, and workers move a row whose follow failed. */
  run(follow: () => Promise<void>): Promise<void> {
    if (this.#running.size >= FOLLOWING_MAX) return Promise.resolve();
    const running = follow()
      .catch(this.#warn)
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Resolves once nothing is under way or the time is over, with the number of those left. */
  async finish(timeoutMs: number): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const limitMs = deadline - performance.now();
      if (this.#running.size === 0 || limitMs <= 0) return this.#running.size;
      const all = Promise.all(this.#running);
      await withinLimit(all, { what: 'what follows commits', limitMs }).catch(() => undefined);
    }
  }
}
