/**
 * A Postgres server from the binaries in node_modules: the embedded database of `npm start`, and the throwaway
 * databases of tests, benches and fault scenarios. Loopback only, random passwords, the roles of production.
 * Next: place.ts, binaries.ts, cluster.ts and postmaster.ts (the parts), throwaway-postgres.ts (for a test's length).
 */
import type { ChildProcess } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createRolesAndDatabase } from '../db/roles.ts';
import { preparePostgresBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { DATABASE, loginsOf, type Role, urlOf } from './logins.ts';
import { makeDataFolder, placeOf } from './place.ts';
import {
  isPortFree,
  livingPostmaster,
  PostmasterFailed,
  type PostmasterOptions,
  quietPort,
  type StopMode,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';
import { isAlive, type ProcessIdentity, processMark } from './process-identity.ts';
import { rememberPostgres } from './remembered-postgres.ts';
import { keepSecrets } from './secrets.ts';

export type { StopMode } from './postmaster.ts';

export interface PostgresOptions {
  /** Contains secrets, port and log, and the cluster if the account of Postgres can reach it. Made when absent. */
  directory: string;
  /** Server settings that override the defaults, such as `{ shared_buffers: '512MB' }`. Kept for restarts. */
  settings?: Record<string, string | number | boolean>;
  /** A fixed port. Without it the last port is used if it is free, else another. */
  port?: number;
  /** False: a crash of the machine may lose data (a crash of Postgres never does). For tests. */
  durable?: boolean;
}

export interface PostgresServer {
  readonly directory: string;
  /** The data directory of the server. */
  readonly cluster: string;
  readonly port: number;
  /** The postmaster's pid while it runs. */
  readonly pid: number | undefined;
  readonly logFile: string;
  /** Connects to the database `postgres`, to end connections and create databases. */
  readonly superuserUrl: string;
  readonly ownerUrl: string;
  readonly applicationUrl: string;
  readonly signerUrl: string;
  /** The key that encrypts data at rest: 32 bytes in base64. */
  readonly encryptionKey: string;
  /** The URL of a role in another database of this server. */
  urlFor(role: Role, database: string): string;
  /** Starts the server again after a stop or a crash, on the same port while it is free. */
  start(): Promise<void>;
  /** Resolves when the process has ended. Does nothing if it already has. */
  stop(mode?: StopMode): Promise<void>;
  /** Called when the server ends without a call of stop(). */
  onUnexpectedExit(listener: (description: string) => void): void;
}

/** `max_connections` is enough for the pools of API, workers and queues in one or several processes. */
const SETTINGS = {
  max_connections: '200',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%u@%d ',
};
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' };

/**
 * Starts a server over the directory's cluster, and makes the cluster at the first start. Stops a server that already
 * runs there, so call this only when that server's parent is known to be dead. Throws EmbeddedPostgresError.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  makeDataFolder(options.directory);
  const directory = realpathSync(options.directory);
  const secrets = keepSecrets(directory);
  const { path: place, account, remembered } = placeOf(directory);
  const binaries = preparePostgresBinaries(account);
  rememberPostgres(directory, { port: 0, ...remembered, place });
  const durable = options.durable ?? true;
  const cluster = await ensureCluster({
    binaries,
    place,
    account,
    superuserPassword: secrets.superuserPassword,
    durable,
  });
  const logFile = join(directory, 'postgres.log');
  const settings = asText({ ...SETTINGS, ...(!durable && NOT_DURABLE), ...options.settings });

  let port = options.port ?? remembered?.port ?? 0;
  let postmaster: ProcessIdentity | undefined;
  const listeners: ((description: string) => void)[] = [];

  async function start(): Promise<void> {
    const fixed = options.port !== undefined;
    const child = await startOnPort({ binaries, cluster, account, logFile, settings, port, fixed });
    port = child.port;
    const mine = { pid: child.process.pid!, mark: processMark(child.process.pid!) ?? 'ended' };
    postmaster = mine;
    rememberPostgres(directory, { place, port, postmaster });
    child.process.once('exit', (code, signal) => {
      if (postmaster !== mine) return;
      postmaster = undefined;
      for (const listener of listeners) listener(`ended with ${signal ?? code}`);
    });
  }

  async function stop(mode: StopMode = 'fast'): Promise<void> {
    const running = postmaster;
    postmaster = undefined;
    if (running) await stopPostmaster(running, mode);
  }

  const urlFor = (role: Role, database: string) => urlOf(secrets, { role, port, database });
  await start();
  try {
    const { owner, application, signer } = loginsOf(secrets);
    await createRolesAndDatabase({
      superuserUrl: urlFor('superuser', 'postgres'),
      database: DATABASE,
      owner,
      application,
      signer,
    });
  } catch (error) {
    await stop('fast');
    throw error;
  }
  return {
    directory,
    cluster,
    logFile,
    get port() {
      return port;
    },
    get pid() {
      return postmaster && isAlive(postmaster) ? postmaster.pid : undefined;
    },
    get superuserUrl() {
      return urlFor('superuser', 'postgres');
    },
    get ownerUrl() {
      return urlFor('owner', DATABASE);
    },
    get applicationUrl() {
      return urlFor('application', DATABASE);
    },
    get signerUrl() {
      return urlFor('signer', DATABASE);
    },
    encryptionKey: secrets.encryptionKey,
    urlFor,
    start,
    stop,
    onUnexpectedExit: (listener) => void listeners.push(listener),
  };
}

/** The child processes of a killed server take a moment to end. Until then Postgres refuses to start. */
const LEFTOVER_PROCESSES = /pre-existing shared memory block|lock file "[^"]+" already exists/;
const PORT_TAKEN = /could not bind|could not create any TCP\/IP sockets/;
const RETRY_FOR_MS = 30_000;
const RETRY_AFTER_MS = 100;

interface StartOnPort extends PostmasterOptions {
  /** True: the port must be used, another is no replacement. */
  fixed: boolean;
}

async function startOnPort({ fixed, ...options }: StartOnPort): Promise<{ process: ChildProcess; port: number }> {
  const deadline = performance.now() + RETRY_FOR_MS;
  for (;;) {
    const left = livingPostmaster(options.cluster);
    if (left) await stopPostmaster(left, 'fast');
    const usable = options.port !== 0 && (fixed || (await isPortFree(options.port)));
    if (!usable) options.port = await quietPort();
    try {
      return { process: await startPostmaster(options), port: options.port };
    } catch (error) {
      const output = error instanceof PostmasterFailed ? error.output : '';
      const mayPass = LEFTOVER_PROCESSES.test(output) || (!fixed && PORT_TAKEN.test(output));
      if (!mayPass || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    }
  }
}

function asText(settings: Record<string, string | number | boolean>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
