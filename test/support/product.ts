/**
 * The whole product inside a test's process, on a database of its own: real API, real pools, real queues. Where a test has
 * to kill a part of it, the parts are processes of their own: see processes.ts.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/log.ts';
import { EVERY_SCOPE } from '../../src/organisations/api-key.ts';
import { type IssueApiKey, issueApiKey } from '../../src/organisations/issue-api-key.ts';
import { openOrganisation } from '../../src/organisations/open-organisation.ts';
import { findBookId } from '../../src/organisations/organisation-store.ts';
import { createRuntime, type Runtime } from '../../src/runtime.ts';
import { type Api, startApi } from '../../src/server.ts';
import { type PoolName, type RunningPools, startPools } from '../../workers/run.ts';
import { Client } from './client.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { describeWithRedis, startRedis, type TestRedis } from './redis.ts';

export type Backend = 'redis' | 'postgres';
export const ALL_POOLS: readonly PoolName[] = ['ledger', 'rails', 'webhooks', 'sweeper'];

/** Beyond what any wait of a test takes by itself: then the wait says what it saw, and not the test that time is up. */
const TEST_LIMIT_MS = 60_000;

/** The same tests on both carriers of jobs; those on Redis say so when they are skipped for want of one. */
export function describeOnEachBackend(name: string, tests: (backend: Backend) => void): void {
  vi.setConfig({ testTimeout: TEST_LIMIT_MS, hookTimeout: 2 * TEST_LIMIT_MS });
  describe(`${name}, jobs on postgres`, () => tests('postgres'));
  describeWithRedis(`${name}, jobs on redis`, () => tests('redis'));
}

export interface OrganisationKeys {
  name: string;
  testKey: string;
  liveKey: string;
  testBookId: string;
  liveBookId: string;
}

/** An organisation with its two books and a key for each that may do everything. */
export async function makeOrganisation(pool: Pool, name = `Organisation ${randomUUID()}`): Promise<OrganisationKeys> {
  const { id } = await openOrganisation(pool, { name, clock: systemClock });
  const [testBookId, liveBookId] = [(await findBookId(pool, id, 'test'))!, (await findBookId(pool, id, 'live'))!];
  const key = async (bookId: string, mode: 'test' | 'live') =>
    (await issueApiKey(pool, systemClock, { bookId, mode, name, scopes: [EVERY_SCOPE] })).token;
  return {
    name,
    testBookId,
    liveBookId,
    testKey: await key(testBookId, 'test'),
    liveKey: await key(liveBookId, 'live'),
  };
}

/** What a process of the product is configured with in tests: nothing that is there to protect it from the world. */
export function testEnvironment(
  database: Pick<TestDatabase, 'applicationUrl' | 'encryptionKey'>,
  redis: Pick<TestRedis, 'url'> | undefined,
  further: Record<string, string> = {},
): Record<string, string> {
  return {
    DATABASE_URL: database.applicationUrl,
    REDIS_URL: redis?.url ?? '',
    COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey,
    PORT: '0',
    LOG_LEVEL: 'silent',
    SWEEP_INTERVAL_MS: '200',
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1:*',
    RATE_LIMIT_WRITES_PER_SECOND: '100000',
    RATE_LIMIT_READS_PER_SECOND: '100000',
    ...further,
  };
}

export interface ProductOptions {
  backend: Backend;
  /** Which pools run from the start; all without it. */
  pools?: readonly PoolName[];
  /** Further variables of the environment. */
  environment?: Record<string, string>;
}

export interface Product {
  readonly baseUrl: string;
  readonly backend: Backend;
  readonly runtime: Runtime;
  readonly database: TestDatabase;
  readonly redis: TestRedis | undefined;
  /** An organisation of its own for a test that must not meet another's rows, and a client of its test book. */
  organisation(): Promise<{ keys: OrganisationKeys; client: Client; live: Client }>;
  clientWith(key: Omit<IssueApiKey, 'name'>): Promise<Client>;
  client(key: string): Client;
  startPools(pools?: readonly PoolName[]): Promise<void>;
  stopPools(): Promise<void>;
  close(): Promise<void>;
}

export async function startProduct({ backend, pools = ALL_POOLS, environment }: ProductOptions): Promise<Product> {
  const database = await createTestDatabase();
  const redis = backend === 'redis' ? await startRedis() : undefined;
  const config = readConfig(testEnvironment(database, redis, environment));
  const runtime = createRuntime(config, createLogger(config.LOG_LEVEL, 'test'), { name: `test ${backend}` });
  const api: Api = await startApi(runtime);
  const clients: Client[] = [];
  let running: RunningPools | undefined;

  const client = (key: string) => {
    const made = new Client(api.url, key);
    clients.push(made);
    return made;
  };
  const product: Product = {
    baseUrl: api.url,
    backend,
    runtime,
    database,
    redis,
    async organisation() {
      const keys = await makeOrganisation(runtime.pool);
      return { keys, client: client(keys.testKey), live: client(keys.liveKey) };
    },
    async clientWith(key) {
      return client((await issueApiKey(runtime.pool, systemClock, { ...key, name: 'Of a test' })).token);
    },
    client,
    async startPools(names = pools) {
      if (names.length > 0) running = await startPools(runtime, { pools: names });
    },
    async stopPools() {
      await running?.close();
      running = undefined;
    },
    async close() {
      await Promise.all(clients.map((one) => one.close()));
      await product.stopPools();
      await api.close();
      await runtime.close();
      await redis?.remove();
      await database.drop();
    },
  };
  await product.startPools();
  return product;
}

/** A pool with every right, for looking behind the product's back. */
export function lookInto(database: Pick<TestDatabase, 'superuserUrl'>): Pool {
  const pool = createPool({
    url: database.superuserUrl,
    name: 'test',
    size: 6,
    log: createLogger('silent', 'test'),
  });
  pool.on('error', () => undefined);
  return pool;
}

/**
 * Lets the alarms of everything that waits go off now, as they would by themselves after half a minute: rows whose bell was
 * lost, or whom somebody answered and died. A delivery that failed keeps the time of its next try. Most of them, at random:
 * a bell is named after all its rows, and one that a dead worker had in hand keeps its name for half a minute.
 */
export async function soundAlarms(database: Pick<TestDatabase, 'superuserUrl'>): Promise<void> {
  const client = new pg.Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    // Rows that somebody holds are being moved right now: waiting for them could become a deadlock with a commit.
    await client.query(`
      UPDATE payouts SET due_at = now() FROM (
        SELECT book_id, id FROM payouts WHERE due_at > now() AND stuck_at IS NULL AND random() < 0.7 FOR NO KEY UPDATE SKIP LOCKED
      ) AS free WHERE payouts.book_id = free.book_id AND payouts.id = free.id;
      UPDATE webhook_deliveries AS d SET due_at = greatest(now(), d.retry_at) FROM (
        SELECT book_id, endpoint_id, event_sequence FROM webhook_deliveries
        WHERE due_at > greatest(now(), retry_at) AND stuck_at IS NULL AND random() < 0.7 FOR NO KEY UPDATE SKIP LOCKED
      ) AS free
      WHERE d.book_id = free.book_id AND d.endpoint_id = free.endpoint_id AND d.event_sequence = free.event_sequence`);
  } finally {
    await client.end();
  }
}
