/** A connection to Redis: to one server, or to a Redis Cluster by some of its nodes. Everybody who speaks with Redis has it from here. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type RedisConnection = Redis | Cluster;

export interface RedisPlace {
  /** One URL, or those of some nodes of a cluster, separated by commas. */
  readonly urls: string;
  /** A cluster although only one of its nodes, or its configuration endpoint, is named. */
  readonly cluster: boolean;
}

type ConnectionOptions = Pick<
  RedisOptions,
  'autoResendUnfulfilledCommands' | 'connectTimeout' | 'maxRetriesPerRequest' | 'socketTimeout'
> & { connectionName: string; enableOfflineQueue?: boolean };

/** Back within a second of Redis being back; what waits longer is the sweeper's. */
const retryStrategy = (times: number) => Math.min(50 * times, 1_000);

/** While nodes change places the map of slots is old: asked for again this often, beside every answer that says so. */
const SLOTS_REFRESH_MS = 5_000;

export function connectRedis({ urls, cluster }: RedisPlace, options: ConnectionOptions): RedisConnection {
  const nodes = urls.split(',');
  if (!cluster && nodes.length === 1) return new Redis(nodes[0]!, { ...options, retryStrategy });
  const { enableOfflineQueue = true, ...ofNode } = options;
  const { username, password, protocol } = new URL(nodes[0]!);
  return new Cluster(nodes.map(nodeOf), {
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // A certificate names the host, so that it is not looked up before.
    ...(protocol === 'rediss:' && { dnsLookup: (address, callback) => callback(null, address) }),
    redisOptions: {
      ...ofNode,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}

const REDIS_PORT = 6379;

function nodeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || REDIS_PORT };
}
