/**
 * A Redis that runs out of memory either refuses new keys or evicts old ones. Jobs must never be evicted: a queue that
 * loses some of its keys is broken (https://docs.bullmq.io/guide/going-to-production, "Max memory policy").
 */
import { type Cluster, Redis } from 'ioredis';
import type { RedisConnection } from './redis-connection.ts';

const REMEDY =
  'Set it to noeviction: CONFIG SET maxmemory-policy noeviction, and maxmemory-policy noeviction in redis.conf, or in the parameter group of a managed Redis. Share no Redis with a cache.';

/** This Redis may evict jobs. The message explains how to configure it. */
export class EvictionPolicyError extends Error {
  override name = 'EvictionPolicyError';

  constructor(policy: string) {
    super(
      `REDIS_URL: the setting maxmemory-policy of this Redis is ${policy}, so that it may throw jobs away.\n${REMEDY}`,
    );
  }
}

/** Checks the server, or every master of a cluster. Throws EvictionPolicyError, and the errors of the connection. */
export async function checkMemoryPolicy(connection: RedisConnection): Promise<void> {
  const servers = connection instanceof Redis ? [connection] : mastersOf(connection);
  for (const policy of await Promise.all(servers.map(readPolicy))) {
    if (policy !== 'noeviction') throw new EvictionPolicyError(policy);
  }
}

function mastersOf(cluster: Cluster): Redis[] {
  return cluster.nodes('master') as Redis[];
}

/** Reads INFO, which managed Redis services allow too. Where INFO lacks the policy, asks CONFIG. */
async function readPolicy(server: Redis): Promise<string> {
  const reported = /^maxmemory_policy:(\S+)/m.exec(await server.info('memory'))?.[1];
  if (reported !== undefined) return reported;
  const [, configured] = (await server.config('GET', 'maxmemory-policy')) as string[];
  return configured ?? 'unknown';
}
