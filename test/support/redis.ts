/** Tests that need Redis are skipped without redis-server; with REQUIRE_REDIS=true (in CI) its absence is a failure. */
import { describe } from 'vitest';
import { redisVersion } from '../../scripts/harness/redis-server.ts';

export { startRedis, type TestRedis } from '../../scripts/harness/redis-server.ts';

let available: boolean | undefined;

/** Throws without redis-server if REQUIRE_REDIS=true. */
function redisAvailable(): boolean {
  available ??= redisVersion() !== undefined;
  if (!available && process.env.REQUIRE_REDIS === 'true') {
    throw new Error('REQUIRE_REDIS=true, and there is no redis-server on PATH (Debian: apt-get install redis-server)');
  }
  return available;
}

/** `describe`, or a skipped one with the reason in its name. */
export function describeWithRedis(name: string, tests: () => void): void {
  if (redisAvailable()) describe(name, tests);
  else describe.skip(`${name} (skipped: no redis-server on PATH)`, tests);
}
