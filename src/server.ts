/**
 * The API process: `npm run api`, or part of the embedded start. One process answers thousands of requests a second.
 * Several behind a load balancer share limits through Redis and everything else through Postgres.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiRuntime } from './api/api-runtime.ts';
import type { Route } from './api/route.ts';
import { ConfigError, readConfig } from './config.ts';
import { classifyFailure } from './db/postgres-errors.ts';
import { DatabaseRoleError } from './db/roles.ts';
import { SecretBoxError } from './db/secret-box.ts';
import { createApp } from './http/app.ts';
import { closeServer, createHttpServer, ListenError, listen } from './http/connections/http-server.ts';
import type { RateLimiter } from './http/limits/rate-limiter.ts';
import { ApiServices } from './http/pipeline/services.ts';
import { createLogger, type Logger } from './process/log.ts';
import { warnSeldom } from './process/seldom.ts';
import { EvictionPolicyError } from './queue/memory-policy.ts';
import { connectRedis, type RedisConnection } from './queue/redis-connection.ts';
import { QueueUnfit } from './queue/try-queue.ts';
import { createRuntime, type Runtime } from './runtime.ts';

export interface Api {
  readonly port: number;
  /** The URL of the API on this machine. */
  readonly url: string;
  /** Finishes the requests in hand, and what follows their commits, within DRAIN_TIMEOUT_MS. The runtime stays open: the caller closes it. */
  close(): Promise<void>;
}

export interface ApiOptions {
  routes?: readonly Route[];
  sandboxKey?: () => string | undefined;
  /** An answer that is not read whole within this time ends its connection. */
  answerMs?: number;
  /** In the place of one that counts in Redis, or in this process. */
  limiter?: RateLimiter;
}

/** Starts to listen. Throws ListenError, naming PORT or HOST, when listening fails. */
export async function startApi(
  runtime: Runtime,
  { routes, sandboxKey, answerMs, limiter }: ApiOptions = {},
): Promise<Api> {
  const { config, log } = runtime;
  const redis = config.REDIS_URL ? connectLimits(config.REDIS_URL, config.REDIS_CLUSTER, log) : undefined;
  // With PORT=0 the address is known once the server listens; nothing is answered before then.
  let url = '';
  const publicUrl = () => (config.PORT === 0 && !config.PUBLIC_URL ? url : runtime.publicUrl);
  const apiRuntime: Runtime & Pick<ApiRuntime, 'sandboxKey'> = {
    ...runtime,
    get publicUrl() {
      return publicUrl();
    },
    get sandboxKey() {
      return sandboxKey?.();
    },
  };
  const services = new ApiServices(apiRuntime, { redis, limiter });
  const server = createHttpServer(createApp(apiRuntime, services, routes), { publicUrl, answerMs });
  try {
    const port = await listen(server, { host: config.HOST, port: config.PORT });
    url = urlOf(config.HOST, port);
    runtime.stalledQueues.watchMoney();
    log.info({ url }, 'API listens');
    return {
      port,
      url,
      async close() {
        const deadline = performance.now() + config.DRAIN_TIMEOUT_MS;
        services.drain();
        await closeServer(server, config.DRAIN_TIMEOUT_MS);
        const left = await services.following.finish(deadline - performance.now());
        if (left > 0) log.warn({ left }, 'stopped before all that follows commits was done; workers do it');
        await services.close();
        redis?.disconnect();
      },
    };
  } catch (error) {
    await services.close();
    redis?.disconnect();
    throw error;
  }
}

/** A connection for counting requests, which never waits while Redis is away (see rate-limit-counter.ts). */
function connectLimits(urls: string, cluster: boolean, log: Logger): RedisConnection {
  const redis = connectRedis(
    { urls, cluster },
    {
      connectionName: 'countinghouse-limits',
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
    },
  );
  redis.on('error', warnSeldom(log, 'redis limits connection'));
  return redis;
}

/** A server that listens on all addresses is reached on this machine by loopback. */
function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Errors that an operator can mend: their message alone is printed. */
const PLAIN_FAULTS = [ConfigError, DatabaseRoleError, EvictionPolicyError, ListenError, QueueUnfit, SecretBoxError];

function faultText(error: Error): unknown {
  if (PLAIN_FAULTS.some((kind) => error instanceof kind)) return error.message;
  if (classifyFailure(error) !== 'transient') return error;
  return `DATABASE_URL: the database does not answer (${error.message || (error as NodeJS.ErrnoException).code}). Start it, or correct the URL.`;
}

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLogger(config.LOG_LEVEL, 'countinghouse-api');
  const runtime = await createRuntime(config, log, { name: 'countinghouse-api' });
  const api = await runtime
    .prepare()
    .then(() => startApi(runtime))
    .catch(async (error) => {
      await runtime.close().catch(() => undefined);
      throw error;
    });
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Beyond the limit the process ends, whatever still hangs: all that was promised is in Postgres.
    setTimeout(() => process.exit(1), config.DRAIN_TIMEOUT_MS + 5_000).unref();
    await api.close();
    await runtime.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}

function isMain(): boolean {
  return (
    process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))
  );
}

if (isMain()) {
  await main().catch((error: Error) => {
    console.error(faultText(error));
    process.exit(1);
  });
}
