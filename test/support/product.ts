/**
 * The whole product inside the test's process, on its own database: real API, real pools, real queues. Tests that kill
 * a part run it as a separate process: see scripts/harness/processes.ts.
 */
import { describe, inject } from 'vitest';
import { Client } from '../../scripts/harness/client.ts';
import { testEnvironment } from '../../scripts/harness/environment.ts';
import { issueApiKey } from '../../scripts/harness/issue-api-key.ts';
import { makeOrganisation, type OrganisationKeys } from '../../scripts/harness/organisation.ts';
import { readConfig } from '../../src/config.ts';
import { createPool } from '../../src/db/pool.ts';
import type { IssueApiKey } from '../../src/organisations/issue-api-key.ts';
import { createLogger } from '../../src/process/log.ts';
import { createRuntime, type Runtime } from '../../src/runtime.ts';
import { type Api, type ApiOptions, startApi } from '../../src/server.ts';
import { type Clock, systemClock } from '../../src/values/clock.ts';
import { type PoolName, type RunningPools, startPools } from '../../workers/run.ts';
import { expectDocumentedEvents } from './documented-events.ts';
import { startPgBouncer, type TestPgBouncer } from './pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';
import { describeWithRedis, startRedis, type TestRedis } from './redis.ts';

export { lookInto, makeRowsDue } from '../../scripts/harness/database-store.ts';
export { testEnvironment } from '../../scripts/harness/environment.ts';
export { makeOrganisation, type OrganisationKeys } from '../../scripts/harness/organisation.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set in the project `faults-long`. */
    isLongLane?: boolean;
  }
}

export type Backend = 'redis' | 'postgres';
export const ALL_POOLS: readonly PoolName[] = ['ledger', 'rails', 'payments', 'webhooks', 'sweeper', 'reports'];

/**
 * Runs the tests on both queue backends. Without Redis, those on Redis are skipped, with the reason.
 *
 * For what a queue could break: the core of payouts and rails, and the faults. All else runs on one backend,
 * with `startProduct({ backend: 'postgres' })`: its jobs are ids in a queue like any other, and
 * test/db/queue/queue-contract.ts holds both backends to the same behavior (repetition, order, failure, room, closing, partitions).
 * What a group finds to depend on the backend becomes a test of that contract, not a second run of the group.
 */
export function describeOnEachBackend(name: string, tests: (backend: Backend) => void): void {
  describe(`${name}, jobs on postgres`, () => tests('postgres'));
  describeWithRedis(`${name}, jobs on redis`, () => tests('redis'));
}

/**
 * On one backend: for faults in which the backends do not differ. The gate runs them with jobs on Postgres, and the long lane with jobs on Redis
 * (the project `faults-long` of vitest's configuration).
 */
export function describeOnOneBackend(name: string, tests: (backend: Backend) => void): void {
  if (inject('isLongLane')) describeWithRedis(`${name}, jobs on redis`, () => tests('redis'));
  else describe(`${name}, jobs on postgres`, () => tests('postgres'));
}

/** What payments earn is released by the clock alone: tests of settlement say otherwise. */
const RELEASED_WITHOUT_REPORT = { PAYMENT_RELEASE_ONCE_SETTLED: 'false' };

export interface ProductOptions {
  backend: Backend;
  /** The pools that run from the start; all by default. */
  pools?: readonly PoolName[];
  /** Additional environment variables. */
  environment?: Record<string, string>;
  /**
   * Sends the product's statements through a PgBouncer in transaction mode. TEST_THROUGH_PGBOUNCER=true does so for
   * every test.
   */
  throughPgBouncer?: boolean;
  /** In place of the time of Postgres. */
  clock?: Clock;
  /** How the API is started. */
  api?: Pick<ApiOptions, 'answerMs'>;
  /** Writes the stored forms of that release until the installation is contracted: its rows stay as they are. What is later is refused. */
  earlierForms?: '0.2.0' | '0.3.0';
}

export interface Product {
  readonly baseUrl: string;
  readonly backend: Backend;
  readonly runtime: Runtime;
  readonly database: TestDatabase;
  readonly redis: TestRedis | undefined;
  readonly pgBouncer: TestPgBouncer | undefined;
  /** A new organisation with its keys, and clients of its test and live book. */
  organisation(): Promise<{ keys: OrganisationKeys; client: Client; live: Client }>;
  clientWith(key: Omit<IssueApiKey, 'name'>): Promise<Client>;
  client(key: string): Client;
  startPools(pools?: readonly PoolName[]): Promise<void>;
  stopPools(): Promise<void>;
  close(): Promise<void>;
}

async function writeEarlierForms({ ownerUrl }: TestDatabase, release: string): Promise<void> {
  const owner = createPool({ url: ownerUrl, name: 'test', size: 1, log: createLogger('silent', 'test') });
  await owner.query('UPDATE installation SET contracted_to = $1', [release]).finally(() => owner.end());
}

export async function startProduct({
  backend,
  pools = ALL_POOLS,
  environment,
  throughPgBouncer = process.env.TEST_THROUGH_PGBOUNCER === 'true',
  clock,
  api,
  earlierForms,
}: ProductOptions): Promise<Product> {
  const database = await createTestDatabase();
  if (earlierForms) await writeEarlierForms(database, earlierForms);
  const redis = backend === 'redis' ? await startRedis() : undefined;
  const pgBouncer = throughPgBouncer ? await startPgBouncer(database) : undefined;
  const through = pgBouncer && {
    DATABASE_URL: pgBouncer.url,
    DATABASE_NAMED_STATEMENTS: 'false',
    ...(!redis && { QUEUE_DATABASE_URL: database.applicationUrl }),
  };
  const config = readConfig(
    testEnvironment(database, redis, { ...RELEASED_WITHOUT_REPORT, ...through, ...environment }),
  );
  const runtime = createRuntime(config, createLogger(config.LOG_LEVEL, 'test'), {
    name: `test ${backend}`,
    ...(clock && { clock }),
  });
  await runtime.readInstallation();
  const server: Api = await startApi(runtime, api);
  const clients: Client[] = [];
  let running: RunningPools | undefined;

  const client = (key: string) => {
    const made = new Client(server.url, key);
    clients.push(made);
    return made;
  };
  const product: Product = {
    baseUrl: server.url,
    backend,
    runtime,
    database,
    redis,
    pgBouncer,
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
      await server.close();
      await runtime.close();
      await redis?.remove();
      await pgBouncer?.remove();
      try {
        await expectDocumentedEvents(database);
      } finally {
        await database.drop();
      }
    },
  };
  await product.startPools();
  return product;
}
