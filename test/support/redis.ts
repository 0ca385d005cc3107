/** Tests that need a Redis skip where there is no redis-server; with REQUIRE_REDIS=true (in CI) its absence is a failure. */
import { describe } from 'vitest';
import { isRedisInstalled } from '../../scripts/faults/redis-server.ts';

export { startRedis, type TestRedis } from '../../scripts/faults/redis-server.ts';

let available: boolean | undefined;

/** Throws when there is none and REQUIRE_REDIS=true says there must be. */
export function redisAvailable(): boolean {
  available ??= isRedisInstalled();
  if (!available && process.env.REQUIRE_REDIS === 'true') {
    throw new Error('REQUIRE_REDIS=true, and there is no redis-server on PATH (Debian: apt-get install redis-server)');
  }
  return available;
}

/** `describe`, or a skipped one that says why. */
export function describeWithRedis(name: string, tests: () => void): void {
  if (redisAvailable()) describe(name, tests);
  else describe.skip(`${name} (skipped: no redis-server on PATH)`, tests);
}
