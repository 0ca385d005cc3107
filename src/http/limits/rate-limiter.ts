/**
 * Limits the points a second that a book may use: one a request, and more for expensive parts of a request (POINTS). A
 * process leases points from the shared counter, a twentieth of the limit at a time, and hands them out itself. A
 * request then costs a subtraction, and Redis one call for many requests. The leases of one window never exceed the
 * limit. Points that a process has left at the end of a window are lost, so the limit is exact to within one lease per
 * process.
 */
import type { Config } from '../../config.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Principal } from '../../organisations/authenticate.ts';
import type { UsageCounter } from './rate-limit-counter.ts';

export interface Allowance {
  allowed: boolean;
  /** Points left in this window, as far as this process knows. */
  remaining: number;
  /** Time until the window ends, in whole seconds, at least 1. */
  resetSeconds: number;
}

interface Bucket {
  limit: number;
  /** Leased points that this process has not handed out. */
  left: number;
  /** Points that no process had leased at the time of the last lease. */
  unclaimed: number;
  windowEndsAt: number;
  /** Points that requests wait for during a lease. The next lease covers all of them. */
  waiting: number;
  leasing: Promise<void> | undefined;
}

/** At full speed: twenty calls to the counter a second per book. */
const LEASES_PER_WINDOW = 20;
const MAX_LEASE = 1_000;
/** Windows are a second wide (rate-limit-counter.ts), so the ends of two windows differ by that much. */
const WINDOW_MS = 1_000;
/** Counts kept at once. Beyond it, the counts of ended windows are dropped. */
const MAX_BUCKETS = 10_000;

export type Policy =
  | 'writes'
  | 'reads'
  /** Of processors, in a bucket of their own: no burst of writes declines a purchase. */
  | 'messages'
  /** Questions to rails about payees, which the operators of alias schemes limit. */
  | 'lookups';

/** Points that a request costs. Published at GET /v1/limits. */
export const POINTS = {
  /** Every request, taken right after authentication. */
  request: 1,
  /** One point for each full 64 kB of a body, taken before they are read, so that refused bodies count as well. */
  bodyBytes: 65_536,
  /** Each metadata filter of a list. A filter that fails validation costs nothing. */
  metadataFilter: 1,
} as const;

/** The limit that applies to a key: its own, or the book's. */
export function limitOf(
  policy: Policy,
  principal: Principal,
  config: Pick<
    Config,
    | 'RATE_LIMIT_WRITES_PER_SECOND'
    | 'RATE_LIMIT_READS_PER_SECOND'
    | 'RATE_LIMIT_MESSAGES_PER_SECOND'
    | 'RATE_LIMIT_LOOKUPS_PER_SECOND'
  >,
): number {
  if (policy === 'lookups')
    return Math.min(principal.readsPerSecond ?? Number.POSITIVE_INFINITY, config.RATE_LIMIT_LOOKUPS_PER_SECOND);
  if (policy === 'messages') return config.RATE_LIMIT_MESSAGES_PER_SECOND;
  if (policy === 'writes') return principal.writesPerSecond ?? config.RATE_LIMIT_WRITES_PER_SECOND;
  return principal.readsPerSecond ?? config.RATE_LIMIT_READS_PER_SECOND;
}

/** The name of the count. A key with its own limit has its own count, apart from the book's. */
export function bucketOf(policy: Policy, { bookId, keyId, writesPerSecond, readsPerSecond }: Principal): string {
  if (policy === 'messages') return `${policy}:${bookId}`;
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

  /** `now` returns monotonic milliseconds. */
  constructor(counter: UsageCounter, now: () => number = () => performance.now()) {
    this.#counter = counter;
    this.#now = now;
  }

  /**
   * Takes all of the points, or none. Synchronous while enough points are leased, else once the counter has answered.
   * More points than the limit count as the whole limit: an expensive request takes a whole second and is not refused
   * forever.
   */
  take(name: string, limit: number, points = 1): Allowance | Promise<Allowance> {
    const bucket = this.#bucket(name, limit);
    const wanted = points < limit ? points : limit;
    return this.#fromHand(bucket, wanted) ?? this.#afterLease(name, bucket, wanted);
  }

  /** An allowance without a call to the counter, when the result is certain. */
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
    // One microtask later, so that every request about to wait is counted.
    await Promise.resolve();
    const points = Math.min(Math.max(leaseOf(bucket.limit), bucket.waiting), bucket.limit);
    bucket.waiting = 0;
    try {
      const { consumed, msBeforeNext } = await this.#counter.take(name, points);
      const windowEndsAt = this.#now() + Math.max(1, msBeforeNext);
      // Leased points that were too few for an expensive request stay valid within the same window.
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

/** `RateLimit` and `RateLimit-Policy` in the form of draft-ietf-httpapi-ratelimit-headers-10. */
export function rateLimitHeaders(
  policy: Policy,
  limit: number,
  { remaining, resetSeconds }: Allowance,
): { rateLimit: string; policy: string } {
  return { rateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`, policy: `"${policy}";q=${limit};w=1` };
}

export function rateLimited(policy: Policy, limit: number, { resetSeconds }: Allowance): ApiError {
  return new ApiError('rate_limited', {
    detail: `More than ${limit} ${limit === 1 ? 'point' : 'points'} of ${policy} in a second.`,
    facts: { limit },
    headers: { 'Retry-After': String(resetSeconds) },
  });
}
