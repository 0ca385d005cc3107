/**
 * How many points a second a book may use: one a request, and further ones for what makes a request dear (POINTS). A
 * process takes points from the shared counter in leases (a twentieth of
 * the limit) and hands them out by itself, so that a request costs a subtraction and Redis one call for many. Never more
 * than the limit is handed out in a window of the counter; what a process had left when the window ended is lost, so
 * the limit holds to within one lease a process.
 */
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { Principal } from '../organisations/authenticate.ts';
import type { UsageCounter } from './rate-limit-counter.ts';

export interface Allowance {
  allowed: boolean;
  /** Left in this window, as far as this process knows. */
  remaining: number;
  /** Until the window ends, in whole seconds, at least 1. */
  resetSeconds: number;
}

interface Bucket {
  limit: number;
  /** Points in hand. */
  left: number;
  /** Points that nobody had taken when the last lease was. */
  unclaimed: number;
  windowEndsAt: number;
  /** Points that requests wait for while a lease is under way: the next one is for all of them. */
  waiting: number;
  leasing: Promise<void> | undefined;
}

/** Twenty calls to the counter a second and book at full speed. */
const LEASES_PER_WINDOW = 20;
const MAX_LEASE = 1_000;
/** Windows are a second wide (rate-limit-counter.ts): the end of another one is as far away. */
const WINDOW_MS = 1_000;
/** Books whose counts are kept; beyond it, those of windows that are over are forgotten. */
const MAX_BUCKETS = 10_000;

export type Policy = 'writes' | 'reads';

/** What a request costs; published at GET /v1/limits. */
export const POINTS = {
  /** Every request, before anything else is done for it. */
  request: 1,
  /** Each whole 64 kB of a body, before they are read; so bodies that are refused count as well. */
  bodyBytes: 65_536,
  /** Each metadata filter of a list that is read; one whose form is refused costs none. */
  metadataFilter: 1,
} as const;

/** What holds for a key: its own limit, or that of the book. */
export function limitOf(
  policy: Policy,
  principal: Principal,
  config: Pick<Config, 'RATE_LIMIT_WRITES_PER_SECOND' | 'RATE_LIMIT_READS_PER_SECOND'>,
): number {
  if (policy === 'writes') return principal.writesPerSecond ?? config.RATE_LIMIT_WRITES_PER_SECOND;
  return principal.readsPerSecond ?? config.RATE_LIMIT_READS_PER_SECOND;
}

/** A key with a limit of its own has a count of its own: it neither uses up nor is held up by the book's. */
export function bucketOf(policy: Policy, { bookId, keyId, writesPerSecond, readsPerSecond }: Principal): string {
  const own = policy === 'writes' ? writesPerSecond : readsPerSecond;
  return `${policy}:${own === null ? bookId : keyId}`;
}

export function leaseOf(limit: number): number {
  return Math.min(Math.ceil(limit / LEASES_PER_WINDOW), MAX_LEASE);
}

export class RateLimiter {
  readonly #counter: UsageCounter;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `now` counts monotonic milliseconds. */
  constructor(counter: UsageCounter, now: () => number = () => performance.now()) {
    this.#counter = counter;
    this.#now = now;
  }

  /**
   * Takes all of the points, or none. At once while they are in hand, else when the counter has answered. More points than
   * the limit are as many as the limit: what costs more than a second of it takes a whole second, and is not refused for ever.
   */
  take(name: string, limit: number, points = 1): Allowance | Promise<Allowance> {
    const bucket = this.#bucket(name, limit);
    const wanted = points < limit ? points : limit;
    return this.#fromHand(bucket, wanted) ?? this.#afterLease(name, bucket, wanted);
  }

  /** An allowance without a question to the counter, when that is certain. */
  #fromHand(bucket: Bucket, points: number): Allowance | undefined {
    const now = this.#now();
    if (now >= bucket.windowEndsAt) return undefined;
    if (bucket.left >= points) {
      bucket.left -= points;
      return allowance(true, bucket, now);
    }
    return bucket.unclaimed < points - bucket.left ? allowance(false, bucket, now) : undefined;
  }

  async #afterLease(name: string, bucket: Bucket, points: number): Promise<Allowance> {
    for (;;) {
      bucket.waiting += points;
      bucket.leasing ??= this.#lease(name, bucket);
      await bucket.leasing;
      const result = this.#fromHand(bucket, points);
      if (result) return result;
    }
  }

  async #lease(name: string, bucket: Bucket): Promise<void> {
    // One turn later, so that everybody who is about to wait is counted.
    await Promise.resolve();
    const points = Math.min(Math.max(leaseOf(bucket.limit), bucket.waiting), bucket.limit);
    bucket.waiting = 0;
    try {
      const { consumed, msBeforeNext } = await this.#counter.take(name, points);
      const windowEndsAt = this.#now() + Math.max(1, msBeforeNext);
      // Too few points for a dear request stay in hand while the window is the same.
      const kept = windowEndsAt - bucket.windowEndsAt < WINDOW_MS / 2 ? bucket.left : 0;
      const usedByOthers = consumed - points;
      bucket.left = kept + Math.max(0, Math.min(points, bucket.limit - usedByOthers));
      bucket.unclaimed = Math.max(0, bucket.limit - consumed);
      bucket.windowEndsAt = windowEndsAt;
    } finally {
      bucket.leasing = undefined;
    }
  }

  #bucket(name: string, limit: number): Bucket {
    let bucket = this.#buckets.get(name);
    if (bucket) {
      bucket.limit = limit;
      return bucket;
    }
    if (this.#buckets.size >= MAX_BUCKETS) this.#forget();
    bucket = { limit, left: 0, unclaimed: limit, windowEndsAt: 0, waiting: 0, leasing: undefined };
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #forget(): void {
    const now = this.#now();
    for (const [name, bucket] of this.#buckets) {
      if (now >= bucket.windowEndsAt && !bucket.leasing) this.#buckets.delete(name);
    }
  }
}

function allowance(allowed: boolean, bucket: Bucket, now: number): Allowance {
  return {
    allowed,
    remaining: bucket.left + bucket.unclaimed,
    resetSeconds: Math.max(1, Math.ceil((bucket.windowEndsAt - now) / 1000)),
  };
}

/** `RateLimit` and `RateLimit-Policy` as draft-ietf-httpapi-ratelimit-headers-10 writes them. */
export function rateLimitHeaders(
  policy: Policy,
  limit: number,
  { remaining, resetSeconds }: Allowance,
): { rateLimit: string; policy: string } {
  return { rateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`, policy: `"${policy}";q=${limit};w=1` };
}

export function rateLimited(policy: Policy, limit: number, { resetSeconds }: Allowance): ApiError {
  return new ApiError('rate_limited', {
    detail: `More than ${limit} points of ${policy} in a second.`,
    facts: { limit },
    headers: { 'Retry-After': String(resetSeconds) },
  });
}
