/**
 * The stage of scenarios: the product in processes whose every connection goes through a proxy, a webhook receiver with
 * its own record, and clients. A stage serves many scenarios, one after the other, and is repaired after each.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createLogger } from '../../src/process/log.ts';
import type { PoolName } from '../../workers/run.ts';
import { type Account, Client, type Endpoint } from '../harness/client.ts';
import { lookInto, readBookIds } from '../harness/database-store.ts';
import { testEnvironment } from '../harness/environment.ts';
import { makeOrganisation, type OrganisationKeys } from '../harness/organisation.ts';
import { type ProductProcess, type Role, type StartOptions, startProcess } from '../harness/processes.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { startRedis, type TestRedis } from '../harness/redis-server.ts';
import type { Database, Server } from '../harness/server.ts';
import { startTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';
import type { RevealedCard } from './card-load.ts';
import { type BuiltVersion, runCommand } from './last-version.ts';
import { openLoadAccounts } from './load.ts';
import { secretsOf } from './secrets.ts';
import { openTenants, type Tenant } from './tenants.ts';

export type Backend = 'redis' | 'postgres';

export const ALL_POOLS: readonly PoolName[] = ['ledger', 'rails', 'payments', 'webhooks', 'sweeper'];
/** The workers of a stage that begins with a version: each pool is replaced at a time of its own. */
export const WORKERS_OF_VERSION: readonly (readonly PoolName[])[] = [
  ['ledger'],
  ['rails'],
  ['webhooks'],
  ['sweeper', 'reports'],
];
/** Makes the reports pool work: checkpoints as often as can be. */
const checkpointSettings = ({ signerUrl }: Database) => ({
  SIGNER_DATABASE_URL: signerUrl,
  CHECKPOINT_SIGNING_KEY: randomBytes(32).toString('base64'),
  CHECKPOINT_INTERVAL_SECONDS: '1',
});

/** Shares are released when their day comes, which scenarios do not wait for (payment-records-store.ts). */
const PAYMENT_SETTINGS = {
  PAYMENT_RELEASE_DAYS: '1',
  PAYMENT_RELEASE_ONCE_SETTLED: 'false',
  PAYMENT_DISPUTE_FEE: 'JOD:150,KWD:150',
  PAYMENT_DISPUTE_FEE_REFUNDED: 'true',
};

/** The proxies between the processes of one kind and their servers. */
export interface Network {
  readonly postgres: TcpProxy;
  /** Undefined where Postgres is the queue backend. */
  readonly redis: TcpProxy | undefined;
}

export interface Stage {
  readonly backend: Backend;
  readonly server: Server;
  readonly database: Database;
  readonly redis: TestRedis | undefined;
  readonly apis: readonly ProductProcess[];
  /**
   * Two workers with all pools each, so that one can find the rows that the other drops. With a version:
   * WORKERS_OF_VERSION.
   */
  readonly workers: readonly [ProductProcess, ProductProcess, ...ProductProcess[]];
  /** Processes that took over from some of these, running or not. */
  readonly successors: readonly ProductProcess[];
  readonly network: { readonly api: Network; readonly worker: Network };
  readonly clients: readonly Client[];
  readonly accounts: readonly Account[];
  readonly keys: OrganisationKeys;
  /** Small tenants beside the organisation of `keys`, once a scenario has asked for them. */
  readonly tenants: readonly Tenant[];
  readonly receiver: Receiver;
  /** Receives every event. */
  readonly endpoint: Endpoint;
  /** `endpoint` and those that scenarios added. All their events must arrive in the end. */
  readonly endpoints: Set<Endpoint>;
  /** A pool with every right, past all proxies. */
  readonly behind: Pool;
  /** Ids of the payouts accepted so far. */
  readonly accepted: Set<string>;
  /** The same of payments. */
  readonly acceptedPayments: Set<string>;
  /** Payouts about which a scenario made the rail contradict itself. */
  readonly contradicted: Set<string>;
  /** Cards that were issued and revealed: their numbers and codes stand nowhere else. */
  readonly revealed: readonly RevealedCard[];
  reveal(cards: readonly RevealedCard[]): void;
  /** Opens the tenants, or resolves to those that are there. All processes must be up. */
  openTenants(): Promise<readonly Tenant[]>;
  /** Starts one more worker, which takes over from another. */
  startSuccessor(pools: readonly PoolName[], options: StartOptions): Promise<ProductProcess>;
  /** Heals the network, starts processes that have ended and sets their clocks right. Redis and Postgres must be up. */
  mend(): Promise<void>;
  /** Removes the folder with the stage. */
  keepFolder(path: string): void;
  close(): Promise<void>;
}

let stages = 0;

/** With a version, the stage begins with its schema, made by its own commands, and its processes. */
export async function openStage(server: Server, backend: Backend, version?: BuiltVersion): Promise<Stage> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.reverse()) await closer();
  };
  try {
    return await open();
  } catch (error) {
    await close();
    throw error;
  }

  function keep<Part>(part: Part, closer: (part: Part) => Promise<unknown>): Part {
    closers.push(() => closer(part));
    return part;
  }

  async function open(): Promise<Stage> {
    const make = version ? server.makeEmptyDatabase : server.makeDatabase;
    const database = keep(await make(`stage_${++stages}`), (one) => one.drop());
    if (version) await runCommand(version.root, ['migrate', '--contract'], environmentOfCommands(database));
    const behind = keep(lookInto(database), (pool) => pool.end());
    const redis = backend === 'redis' ? keep(await startRedis(), (one) => one.remove()) : undefined;
    const receiver = keep(await startReceiver(), (one) => one.close());
    const network = { api: await openNetwork(database, redis), worker: await openNetwork(database, redis) };

    const further = { LOG_LEVEL: 'info', ...PAYMENT_SETTINGS, ...(version ? checkpointSettings(database) : {}) };
    const start = async (role: Role, { postgres, redis: queue }: Network, options?: StartOptions) => {
      const through = { applicationUrl: postgres.url, encryptionKey: database.encryptionKey };
      const environment = testEnvironment(through, queue, further);
      return keep(await startProcess(role, environment, { root: version?.root, ...options }), async (one) => {
        one.thaw();
        await one.kill();
      });
    };
    const pools = version ? WORKERS_OF_VERSION : [ALL_POOLS, ALL_POOLS];
    const [keys, apis, [one, other, ...others]] = await Promise.all([
      version ? organisationOf(version, database, behind) : organisationIn(database),
      Promise.all([start('api', network.api), start('api', network.api)]),
      Promise.all(pools.map((some) => start(some, network.worker))),
    ]);
    const workers = [one!, other!, ...others] as const;
    const successors: ProductProcess[] = [];
    const clients = apis.map(({ url }) => keep(new Client(url, keys.testKey, !version), (client) => client.close()));
    const accounts = await openLoadAccounts(clients[0]!);

    const endpoint = await receiver.subscribe(clients[0]!);
    const endpoints = new Set([endpoint]);
    const tenants: Tenant[] = [];
    const revealed: RevealedCard[] = [];
    const watchForSecrets = () => {
      const secrets = [...secretsOf({ keys, tenants, endpoints, revealed, database }).keys()];
      for (const { redis: queue } of [network.api, network.worker]) queue?.watchFor(secrets);
    };
    watchForSecrets();

    return {
      ...{ backend, server, database, redis, apis, workers, successors, network, clients, accounts, keys },
      ...{ tenants, receiver, endpoint, endpoints, behind, revealed },
      accepted: new Set(),
      acceptedPayments: new Set(),
      contradicted: new Set(),
      reveal(cards) {
        revealed.push(...cards);
        watchForSecrets();
      },
      async openTenants() {
        if (tenants.length > 0) return tenants;
        const urls = apis.map(({ url }) => url);
        for (const tenant of await openTenants({ applicationUrl: database.applicationUrl, urls, receiver })) {
          for (const client of tenant.clients) keep(client, (one) => one.close());
          tenants.push(tenant);
          endpoints.add(tenant.endpoint);
        }
        watchForSecrets();
        return tenants;
      },
      async startSuccessor(some, options) {
        const successor = await start(some, network.worker, options);
        successors.push(successor);
        return successor;
      },
      keepFolder: (path) => void keep(path, (folder) => rm(folder, { recursive: true, force: true })),
      async mend() {
        for (const { postgres, redis: queue } of [network.api, network.worker]) {
          postgres.heal();
          queue?.heal();
        }
        await Promise.all([...workers, ...apis].map(revive));
      },
      close,
    };
  }

  async function openNetwork(database: Database, redis: TestRedis | undefined): Promise<Network> {
    return {
      postgres: keep(await startTcpProxy(database.applicationUrl), (proxy) => proxy.close()),
      redis: redis && keep(await startTcpProxy(redis.url), (proxy) => proxy.close()),
    };
  }
}

async function revive(process: ProductProcess): Promise<void> {
  process.thaw();
  process.setClockAhead(0);
  if (!process.running) await process.start();
}

async function organisationIn({ applicationUrl }: Database): Promise<OrganisationKeys> {
  const pool = createPool({ url: applicationUrl, name: 'faults', size: 1, log: createLogger('silent', 'faults') });
  try {
    return await makeOrganisation(pool);
  } finally {
    await pool.end();
  }
}

/** Made by the version's own commands: this code may know columns that do not exist yet. */
async function organisationOf({ root }: BuiltVersion, database: Database, behind: Pool): Promise<OrganisationKeys> {
  const name = 'Organisation of the release';
  const key = async (mode: 'test' | 'live') => {
    const words = ['keys', 'create', '--organisation', name, '--mode', mode, '--json'] as const;
    return (JSON.parse(await runCommand(root, words, environmentOfCommands(database))) as { key: string }).key;
  };
  const [testKey, liveKey] = [await key('test'), await key('live')];
  const { test, live } = await readBookIds(behind, name);
  return { name, testKey, liveKey, testBookId: test!, liveBookId: live! };
}

/** The environment that an operator's commands need. */
export function environmentOfCommands(database: Database): Record<string, string> {
  return {
    DATABASE_OWNER_URL: database.ownerUrl,
    DATABASE_URL: database.applicationUrl,
    SIGNER_DATABASE_URL: database.signerUrl,
    COUNTINGHOUSE_ENCRYPTION_KEY: database.encryptionKey,
  };
}
