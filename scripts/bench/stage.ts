/**
 * The environment of a bench: a durable Postgres of its own with production-like settings, a Redis of its own when that
 * is the queue backend, and a connection pool as the product makes it.
 */

import { createPool, type Pool } from '../../src/db/pool.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { RIGHTS } from '../../src/groups.ts';
import { install } from '../../src/operations/install.ts';
import { createLogger, type Logger } from '../../src/process/log.ts';
import { type Build, outputOf, THIS_BUILD } from '../harness/build.ts';
import { makeMigratedDatabase } from '../harness/databases.ts';
import { say } from '../harness/progress.ts';
import { startRedis } from '../harness/redis-server.ts';
import type { Closing } from './closing.ts';
import { COUNT_STATEMENTS, countStatements, writeStatements } from './statement-profile-store.ts';

export type QueueBackend = 'redis' | 'postgres';

export interface Stage {
  /** The code that the product's processes run. */
  readonly build: Build;
  readonly postgres: ThrowawayPostgres;
  /** Undefined without Redis. */
  readonly redisPid: number | undefined;
  readonly pool: Pool;
  readonly log: Logger;
  readonly closing: Closing;
  /** The environment of the product's processes. */
  readonly environment: NodeJS.ProcessEnv;
  readonly versions: { postgres: string; redis: string | null };
  readonly profile: string | undefined;
}

/**
 * fsync, full_page_writes and synchronous_commit are on, as by default in Postgres. The rest is what an operator sets
 * on any server with writes: room for hot pages, and checkpoints by time instead of by volume. The defaults (128 MB, 1
 * GB) are meant for a laptop.
 */
const POSTGRES_SETTINGS = {
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  min_wal_size: '1GB',
  checkpoint_timeout: '15min',
  wal_buffers: '16MB',
};

/** `counted`: Postgres counts its statements, which costs it a little. */
export async function setStage(
  closing: Closing,
  {
    queue,
    profile,
    build = THIS_BUILD,
    counted = profile !== undefined,
  }: { queue: QueueBackend | null; profile?: string; build?: Build; counted?: boolean },
): Promise<Stage> {
  // The server's own log goes to its data folder. This log has a line only when something is wrong.
  const log = createLogger('warn', 'bench');
  const postgres = await startThrowawayPostgres({
    durable: true,
    settings: { ...POSTGRES_SETTINGS, ...(counted && COUNT_STATEMENTS) },
  });
  closing.add('Postgres', () => postgres.remove());
  const { ownerUrl, applicationUrl, signerUrl } = postgres;
  if (build === THIS_BUILD) await install({ rights: RIGHTS, ownerUrl, applicationUrl, signerUrl, log });
  else await migrateBy(build, postgres);
  if (counted) await countStatements(postgres);
  if (profile) writeStatements(postgres, profile, closing);
  const redis = queue === 'redis' ? await startRedis() : undefined;
  if (redis) closing.add('Redis', () => redis.remove());
  const pool = createPool({ url: postgres.applicationUrl, name: 'bench', size: 10, log });
  closing.add('connections', () => pool.end());
  const { rows } = await pool.query<{ server_version: string }>('SHOW server_version');
  const version = rows[0]!.server_version.split(' ')[0]!;
  say(`Postgres ${version}${redis ? `, Redis ${redis.version}` : ''}, fsync on`);
  return {
    build,
    postgres,
    redisPid: redis?.pid,
    pool,
    log,
    closing,
    environment: environmentOf(postgres, redis?.url),
    versions: { postgres: version, redis: redis?.version ?? null },
    profile,
  };
}

/** Another commit makes its schema by its own command. This code makes the server and the roles. */
async function migrateBy(build: Build, { ownerUrl, applicationUrl, signerUrl }: ThrowawayPostgres): Promise<void> {
  await outputOf(build.root, ['migrate'], {
    DATABASE_OWNER_URL: ownerUrl,
    DATABASE_URL: applicationUrl,
    SIGNER_DATABASE_URL: signerUrl,
  });
}

/** The environment as an operator sets it, with the rate limiter on and its limits out of reach. */
function environmentOf(postgres: ThrowawayPostgres, redisUrl: string | undefined): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    DATABASE_URL: postgres.applicationUrl,
    ...(redisUrl && { REDIS_URL: redisUrl }),
    COUNTINGHOUSE_ENCRYPTION_KEY: postgres.encryptionKey,
    RATE_LIMIT_WRITES_PER_SECOND: '1000000',
    RATE_LIMIT_READS_PER_SECOND: '1000000',
    RATE_LIMIT_MESSAGES_PER_SECOND: '1000000',
    RATE_LIMIT_LOOKUPS_PER_SECOND: '1000000',
  };
}

/** Makes a second database on the same server, with the product's schema and roles. */
export async function addDatabase({ postgres, log, closing }: Stage, name: string): Promise<Pool> {
  await makeMigratedDatabase(postgres, name, log);
  const pool = createPool({ url: postgres.urlFor('application', name), name: 'bench', size: 2, log });
  closing.add(`connections of ${name}`, () => pool.end());
  return pool;
}
