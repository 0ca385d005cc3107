/**
 * Whose the names in a Redis are. Two installations with the same names take each other's jobs: the ids mean nothing to
 * the one that gets them, and the rows of the other wait. A key names the installation to which they belong.
 */
import type { RedisConnection } from './redis-connection.ts';
import { QueueUnfit } from './try-queue.ts';

/** Claims the names that begin with `prefix`. Throws QueueUnfit when they are another installation's. */
export async function claimNames(
  redis: RedisConnection,
  { prefix, installation }: { prefix: string; installation: string },
): Promise<void> {
  const key = `${prefix}:installation`;
  await redis.set(key, installation, 'NX');
  if ((await redis.get(key)) === installation) return;
  throw new QueueUnfit(
    `REDIS_URL: the names ${prefix}:* in this Redis are another installation's, and each would take the other's jobs.
Give this one a Redis or a number of a database of its own, or names of its own by REDIS_PREFIX. Where it has taken the place of the other for good: DEL ${key}`,
  );
}
