/**
 * Connects to one Redis server, or to a Redis Cluster through some of its nodes. All Redis clients of the product are
 * created here.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type RedisConnection = Redis | Cluster;

export interface RedisPlace {
  /** One URL, or the URLs of some nodes of a cluster, separated by commas. */
  readonly urls: string;
  /** Treats a single URL as a cluster: one of its nodes, or its configuration endpoint. */
  readonly cluster: boolean;
}

type ConnectionOptions = Pick<
  RedisOptions,
  'autoResendUnfulfilledCommands' | 'connectTimeout' | 'maxRetriesPerRequest' | 'socketTimeout'
> & { connectionName: string; enableOfflineQueue?: boolean };

/** Reconnects within a second of Redis being back. The sweeper enqueues rows that waited longer. */
const retryStrategy = (times: number) => Math.min(50 * times, 1_000);

/**
 * A Redis that was demoted to a replica keeps its connections and refuses every write. The connection is made anew, and
 * reaches the server to which the address leads by then. A script's error contains the answer of its command.
 */
const reconnectOnError = ({ message }: Error) => /\bREADONLY\b/.test(message);

/** How often the slot map is read again while slots move between nodes, in addition to MOVED answers. */
const SLOTS_REFRESH_MS = 5_000;

export function connectRedis({ urls, cluster }: RedisPlace, options: ConnectionOptions): RedisConnection {
  const nodes = urls.split(',');
  if (!cluster && nodes.length === 1) return new Redis(nodes[0]!, { ...options, retryStrategy, reconnectOnError });
  const { enableOfflineQueue = true, ...ofNode } = options;
  const { username, password, protocol } = new URL(nodes[0]!);
  return new Cluster(nodes.map(nodeOf), {
    enableOfflineQueue,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // The certificate names the host, so the client must connect by name and not by address.
    ...(protocol === 'rediss:' && { dnsLookup: (address, callback) => callback(null, address) }),
    redisOptions: {
      ...ofNode,
      reconnectOnError,
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
}

/**
 * Why nodes of a cluster were not reached: the cluster's error has that of a node behind it. Of a connection that failed before its first
 * command, as TLS does, a node reports only that it is closed; so one is tried alone.
 */
export async function nodeErrorOf(error: Error, { urls }: RedisPlace, connectTimeoutMs: number): Promise<Error> {
  const { lastNodeError } = error as { lastNodeError?: Error | null };
  const [url = ''] = urls.split(',');
  if (!lastNodeError) return error;
  if (!url.startsWith('rediss:')) return lastNodeError;
  const node = new Redis(url, { lazyConnect: true, retryStrategy: null, connectTimeout: connectTimeoutMs });
  try {
    return await new Promise<Error>((resolve) => {
      node.on('error', resolve);
      node.connect().then(
        () => resolve(lastNodeError),
        () => resolve(lastNodeError),
      );
    });
  } finally {
    node.disconnect();
  }
}

const REDIS_PORT = 6379;

function nodeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || REDIS_PORT };
}
