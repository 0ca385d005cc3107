/** A limiter whose second lasts as long as the test says: how many requests a machine sends within a second decides nothing. */
import { RateLimiter } from '../../src/http/limits/rate-limiter.ts';

const SECOND_MS = 1_000;

export class HeldSecond {
  #heldAt: number | undefined;
  readonly #windows = new Map<string, { consumed: number; endsAt: number }>();

  readonly #now = () => this.#heldAt ?? performance.now();

  readonly limiter = new RateLimiter({ take: async (bucket, points) => this.#take(bucket, points) }, this.#now);

  /** No second ends while this work is under way. */
  async during<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#heldAt = performance.now();
    try {
      return await work();
    } finally {
      this.#heldAt = undefined;
    }
  }

  #take(bucket: string, points: number) {
    const now = this.#now();
    const known = this.#windows.get(bucket);
    const window = known !== undefined && known.endsAt > now ? known : { consumed: 0, endsAt: now + SECOND_MS };
    this.#windows.set(bucket, window);
    window.consumed += points;
    return { consumed: window.consumed, msBeforeNext: window.endsAt - now };
  }
}
