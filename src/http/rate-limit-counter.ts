/**
 * Who counts what a window has used: Redis for all processes together, and this process alone while Redis does not
 * answer. A limit is a courtesy to neighbours; it never refuses a request because its own store is away.
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Logger } from '../log.ts';
import type { RedisConnection } from '../queue/redis-connection.ts';
import { warnSeldom } from '../seldom.ts';
import { withinLimit } from '../time-limit.ts';

export interface Usage {
  /** Points used in the current window, those just taken included. */
  consumed: number;
  msBeforeNext: number;
}

export interface UsageCounter {
  take(bucket: string, points: number): Promise<Usage>;
}

/** Limits are a second wide. */
const WINDOW_SECONDS = 1;
/** The counter only counts: limits differ by key, so that the limiter compares. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** Longer than a healthy Redis ever takes, short enough that nobody notices when it hangs. */
const REDIS_PATIENCE_MS = 250;
/** After a failure Redis is left alone for so long, so that its absence costs one request a moment and not every one. */
const REDIS_PAUSE_MS = 2_000;

export function createUsageCounter(
  options: { redis?: RedisConnection | undefined; log?: Logger | undefined } = {},
): UsageCounter {
  const { redis, log } = options;
  const local = new RateLimiterMemory({ points: NO_LIMIT, duration: WINDOW_SECONDS, keyPrefix: 'limit' });
  if (!redis) return { take: (bucket, points) => usage(local.consume(bucket, points)) };
  const shared = new RateLimiterRedis({
    storeClient: redis,
    points: NO_LIMIT,
    duration: WINDOW_SECONDS,
    keyPrefix: 'countinghouse:limit',
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
    // The library rejects with the count itself when its own limit is passed.
    if (rejection instanceof RateLimiterRes)
      return { consumed: rejection.consumedPoints, msBeforeNext: rejection.msBeforeNext };
    throw rejection;
  }
}
