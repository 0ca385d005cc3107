/**
 * A Redis that is short of memory may refuse what is new or throw away what it has. Jobs must not be thrown away: a queue of
 * which a part is missing is broken, not short (https://docs.bullmq.io/guide/going-to-production, "Max memory policy").
 */
import { type Cluster, Redis } from 'ioredis';
import type { RedisConnection } from './redis-connection.ts';

const REMEDY =
  'Set it to noeviction: CONFIG SET maxmemory-policy noeviction, and maxmemory-policy noeviction in redis.conf, or in the parameter group of a managed Redis. Share no Redis with a cache.';

/** Redis may throw jobs away; the message says what to do. */
export class EvictionPolicyError extends Error {
  override name = 'EvictionPolicyError';

  constructor(policy: string) {
    super(
      `REDIS_URL: the setting maxmemory-policy of this Redis is ${policy}, so that it may throw jobs away.\n${REMEDY}`,
    );
  }
}

/** Throws EvictionPolicyError, and the connection's own errors. Of a cluster every master is asked. */
export async function checkMemoryPolicy(connection: RedisConnection): Promise<void> {
  const servers = connection instanceof Redis ? [connection] : mastersOf(connection);
  for (const policy of await Promise.all(servers.map(readPolicy))) {
    if (policy !== 'noeviction') throw new EvictionPolicyError(policy);
  }
}

function mastersOf(cluster: Cluster): Redis[] {
  return cluster.nodes('master') as Redis[];
}

/** By INFO, which a managed Redis answers too; by CONFIG where a server leaves it out there. */
async function readPolicy(server: Redis): Promise<string> {
  const told = /^maxmemory_policy:(\S+)/m.exec(await server.info('memory'))?.[1];
  if (told !== undefined) return told;
  const [, configured] = (await server.config('GET', 'maxmemory-policy')) as string[];
  return configured ?? 'unknown';
}
