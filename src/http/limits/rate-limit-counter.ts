/**
 * Counts the points used in a window: in Redis for all processes together, or in this process while Redis does not
 * answer. A Redis outage never causes a refusal: the limit only protects other clients.
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../../process/log.ts';
import { warnSeldom } from '../../process/seldom.ts';
import { withinLimit } from '../../process/time-limit.ts';
import type { RedisConnection } from '../../queue/redis-connection.ts';

export interface Usage {
  /** Points used in the current window, including those just taken. */
  consumed: number;
  msBeforeNext: number;
}

export interface UsageCounter {
  take(bucket: string, points: number): Promise<Usage>;
}

/** Limits are per second. */
const WINDOW_SECONDS = 1;
/** The counter only counts. Limits differ by key, so the limiter compares. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** Longer than a healthy Redis needs, short enough that clients do not notice a Redis that hangs. */
const REDIS_PATIENCE_MS = 250;
/** Time without calls to Redis after a failure, so that an absent Redis delays few requests. */
const REDIS_PAUSE_MS = 2_000;

export function createUsageCounter(
  options: { redis?: RedisConnection | undefined; prefix?: string; log?: Logger | undefined } = {},
): UsageCounter {
  const { redis, prefix = 'countinghouse', log } = options;
  const local = new RateLimiterMemory({ points: NO_LIMIT, duration: WINDOW_SECONDS, keyPrefix: 'limit' });
  if (!redis) return { take: (bucket, points) => usage(local.consume(bucket, points)) };
  const shared = new RateLimiterRedis({
    storeClient: redis,
    points: NO_LIMIT,
    duration: WINDOW_SECONDS,
    keyPrefix: `${prefix}:limit`,
    rejectIfRedisNotReady: true,
  });
  const warn = log && warnSeldom(log, 'Redis does not count requests; this process limits by itself');
  let redisPausedUntil = 0;
  return {
    async take(bucket, points) {
      if (performance.now() >= redisPausedUntil) {
        try {
          return await usage(
            withinLimit(shared.consume(bucket, points), { what: 'Redis', limitMs: REDIS_PATIENCE_MS }),
          );
        } catch (error) {
          redisPausedUntil = performance.now() + REDIS_PAUSE_MS;
          warn?.(error);
        }
      }
      return usage(local.consume(bucket, points));
    },
  };
}

async function usage(result: Promise<RateLimiterRes>): Promise<Usage> {
  try {
    const { consumedPoints, msBeforeNext } = await result;
    return { consumed: consumedPoints, msBeforeNext };
  } catch (rejection) {
    // The library rejects with the count when its own limit is exceeded.
    if (rejection instanceof RateLimiterRes)
      return { consumed: rejection.consumedPoints, msBeforeNext: rejection.msBeforeNext };
    throw rejection;
  }
}
