/**
 * The stage of a fault test: the product in processes, a load of payouts that continues throughout, a webhook receiver
 * with its own record, and at the end every invariant over all three.
 */
import { expect } from 'vitest';
import { type Load, startLoad } from '../../scripts/faults/load.ts';
import { type PaymentLoad, startPaymentLoad } from '../../scripts/faults/payment-load.ts';
import { untilAllEnded } from '../../scripts/faults/until-all-ended.ts';
import { Client, type Endpoint, until } from '../../scripts/harness/client.ts';
import { expireLeases } from '../../scripts/harness/database-store.ts';
import { type ProductProcess, type Role, startProcess } from '../../scripts/harness/processes.ts';
import { createRandom } from '../../scripts/harness/random.ts';
import { type Receiver, startReceiver } from '../../scripts/harness/receiver.ts';
import { GATE_SEED } from '../../scripts/harness/seed.ts';
import { FAULT_PATIENCE_MS } from '../../scripts/harness/until.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { DATABASE } from '../../src/embedded/logins.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { RIGHTS } from '../../src/groups.ts';
import { install } from '../../src/operations/install.ts';
import { createLogger } from '../../src/process/log.ts';
import { publicId } from '../../src/values/ids.ts';
import { expectDocumentedEvents } from '../support/documented-events.ts';
import { expectInvariants } from '../support/invariants.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Backend, lookInto, makeOrganisation, makeRowsDue, testEnvironment } from '../support/product.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

export interface StageOptions {
  backend: Backend;
  apis?: number;
  /** Workers by name, with their pools and failpoints. */
  workers: Record<string, { pools: Role; failpoints?: string }>;
  /** Starts a Postgres server for this stage, which the test may stop and start. */
  ownPostgres?: boolean;
  /** Redis is absent when the processes start. */
  redisAbsent?: boolean;
  /** Added to the environment of every process. */
  environment?: Readonly<Record<string, string>>;
  /** The installation is contracted to this release. Only without `ownPostgres`. */
  contracted?: true;
}

export interface Stage {
  readonly database: Pick<TestDatabase, 'superuserUrl' | 'applicationUrl' | 'encryptionKey'>;
  /** The environment of its processes. */
  readonly environment: Record<string, string>;
  /** A pool with every right, to read past the product. */
  readonly behind: Pool;
  readonly postgres: ThrowawayPostgres | undefined;
  readonly redis: TestRedis | undefined;
  readonly apis: readonly ProductProcess[];
  readonly clients: readonly Client[];
  readonly bookId: string;
  readonly receiver: Receiver;
  readonly endpoint: Endpoint;
  worker(name: string): ProductProcess;
  /** Starts another worker. */
  addWorker(name: string, worker: { pools: Role; failpoints?: string }): Promise<ProductProcess>;
  /** Creates payouts with every result over all APIs until it is stopped. */
  load(): Promise<Load>;
  /** Takes card payments of every outcome until it is stopped, which the test does before `settleAndCheck`. */
  paymentLoad(): Promise<PaymentLoad>;
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Repeats the query until the rows are as wanted, and meanwhile makes waiting rows due. */
  untilMoved<Row extends object>(sql: string, values: unknown[], isWanted: (rows: Row[]) => boolean): Promise<Row[]>;
  /** Waits until a process has died at its failpoint. Meanwhile makes waiting rows due, and does what is given again and again. */
  untilEnded(process: ProductProcess, meanwhile?: () => Promise<unknown>): Promise<void>;
  /** The 45 seconds pass for which a dead worker holds a backlog. Only while no worker is alive. */
  expireLeases(): Promise<void>;
  /** Ends the load, waits until all work is done, and checks everything. `others` are payouts not made by the load. */
  settleAndCheck(load: Load, others?: readonly string[]): Promise<void>;
  /** Waits until all work is done. */
  settle(): Promise<void>;
  /** Once all work is done: the payouts are these, and everything that must hold does. */
  check(payouts: readonly string[], allowed?: Allowed): Promise<void>;
  close(): Promise<void>;
}

export interface Allowed {
  /** Endpoints at the receiver beside the stage's own. */
  readonly endpoints?: readonly Endpoint[];
  /** Kinds of exceptions that are no fault's. */
  readonly exceptions?: readonly string[];
}

/**
 * After a fault, the sweeper enqueues rows when they are due. Half a minute is too long for a test, so rows are made
 * due this often.
 */
const MAKE_DUE_EVERY_MS = 1_000;

export async function startStage(options: StageOptions): Promise<Stage> {
  const closers: (() => Promise<unknown> | unknown)[] = [];
  const processes = new Map<string, ProductProcess>();
  const close = async () => {
    for (const one of processes.values()) {
      one.thaw();
      await one.kill();
    }
    for (const closer of closers.reverse()) await closer();
  };
  try {
    return await build();
  } catch (error) {
    await close();
    throw error;
  }

  async function build(): Promise<Stage> {
    const postgres = options.ownPostgres ? await startThrowawayPostgres() : undefined;
    if (postgres) closers.push(() => postgres.remove());
    const database = postgres ? await migrated(postgres) : await createTestDatabase();
    if ('drop' in database) closers.push(() => (database as TestDatabase).drop());
    if (options.contracted) await contract(database as TestDatabase);
    const redis = options.backend === 'redis' ? await startRedis() : undefined;
    if (redis) closers.push(() => redis.remove());
    if (options.redisAbsent) await redis?.kill();
    const receiver = await startReceiver();
    closers.push(() => receiver.close());
    const environment = testEnvironment(database, redis, {
      ...{ LOG_LEVEL: 'warn', PAYMENT_RELEASE_ONCE_SETTLED: 'false' },
      ...options.environment,
    });

    async function add(name: string, role: Role, failpoints?: string): Promise<ProductProcess> {
      const started = await startProcess(role, environment, { failpoints });
      processes.set(name, started);
      return started;
    }
    const apis = await Promise.all(Array.from({ length: options.apis ?? 1 }, (_, at) => add(`api ${at}`, 'api')));
    await Promise.all(
      Object.entries(options.workers).map(([name, { pools, failpoints }]) => add(name, pools, failpoints)),
    );

    const application = createPool({
      url: database.applicationUrl,
      name: 'test',
      size: 1,
      log: createLogger('silent', 'test'),
    });
    const keys = await makeOrganisation(application);
    await application.end();
    const behind = lookInto(database);
    closers.push(() => behind.end());
    const clients = apis.map(({ url }) => new Client(url, keys.testKey));
    closers.push(() => Promise.all(clients.map((client) => client.close())));
    const endpoint = await receiver.subscribe(clients[0]!);

    const stage: Stage = {
      database,
      environment,
      behind,
      postgres,
      redis,
      apis,
      clients,
      receiver,
      endpoint,
      bookId: keys.testBookId,
      worker(name) {
        const found = processes.get(name);
        if (!found) throw new Error(`There is no worker ${name}`);
        return found;
      },
      addWorker: (name, { pools, failpoints }) => add(name, pools, failpoints),
      load: () => startLoad(clients),
      paymentLoad: async () =>
        startPaymentLoad([{ clients, accounts: [await clients[0]!.openAccount()] }], {
          behind,
          random: createRandom(GATE_SEED, 'payments', options.backend),
        }),
      async query<Row extends object>(sql: string, values: unknown[] = []) {
        return (await behind.query<Row>(sql, values)).rows;
      },
      untilMoved<Row extends object>(sql: string, values: unknown[], isWanted: (rows: Row[]) => boolean) {
        return untilDue(behind, () => stage.query<Row>(sql, values), isWanted);
      },
      expireLeases: () => expireLeases(behind),
      async untilEnded(process, meanwhile) {
        const look = async () => {
          await meanwhile?.();
          return process.running;
        };
        await untilDue(behind, look, (runs) => !runs);
      },
      settle: () => untilAllEnded(behind, { limitMs: FAULT_PATIENCE_MS }),
      async settleAndCheck(load, others = []) {
        await load.stop();
        await stage.settle();
        await load.expectFirstAnswersAgain();
        await stage.check([...load.payouts(), ...others]);
      },
      async check(payouts, { endpoints = [], exceptions = [] } = {}) {
        const rows = await stage.query<{ id: string }>('SELECT id FROM payouts ORDER BY id');
        expect(rows.map(({ id }) => publicId('payout', id))).toEqual([...payouts].sort());
        await expectInvariants({ database, receiver, endpoints: [endpoint, ...endpoints] });
        await expectDocumentedEvents(database);
        // A fault of ours must not look like a party that contradicts itself. The load disputes payments that were refunded.
        const explained = ['dispute_on_refunded', ...exceptions];
        const unexplained = 'SELECT kind, detail FROM exceptions WHERE kind <> ALL ($1)';
        expect(await stage.query(unexplained, [explained])).toEqual([]);
      },
      close,
    };
    return stage;
  }
}

/** Polls until the value is as wanted, and meanwhile makes waiting rows due. */
async function untilDue<Value>(
  behind: Pool,
  look: () => Promise<Value> | Value,
  isWanted: (value: Value) => boolean,
): Promise<Value> {
  let makeDueAt = 0;
  const lookAgain = async () => {
    if (performance.now() > makeDueAt) {
      makeDueAt = performance.now() + MAKE_DUE_EVERY_MS;
      await makeRowsDue(behind);
    }
    return look();
  };
  return until(lookAgain, isWanted, { timeoutMs: FAULT_PATIENCE_MS });
}

async function contract(database: TestDatabase): Promise<void> {
  const log = createLogger('silent', 'test');
  await migrate({ rights: RIGHTS, ...database, log, contract: { watchMs: 0 } });
}

async function migrated(
  postgres: ThrowawayPostgres,
): Promise<Pick<TestDatabase, 'superuserUrl' | 'applicationUrl' | 'encryptionKey'>> {
  const { ownerUrl, applicationUrl, signerUrl, encryptionKey } = postgres;
  await install({ rights: RIGHTS, ownerUrl, applicationUrl, signerUrl, log: createLogger('silent', 'test') });
  return { applicationUrl, encryptionKey, superuserUrl: postgres.urlFor('superuser', DATABASE) };
}
