/**
 * A Postgres server of our own, from the binaries in node_modules: the embedded database of `npm start`, and the throwaway
 * databases of tests, benches and fault scenarios. Loopback only, random passwords, two roles as in production.
 * Next: binaries.ts, run-as.ts, cluster.ts and postmaster.ts (the parts), throwaway-postgres.ts (for a test's length).
 */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createRolesAndDatabase } from '../db/roles.ts';
import { makeOwnDirectory, preparePostgresBinaries, sharedPlaces } from './binaries.ts';
import { clusterOwner, ensureCluster, makePlace, SUPERUSER } from './cluster.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import {
  freePort,
  isPortFree,
  livingPostmaster,
  PostmasterFailed,
  type StopMode,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';
import { isAlive, type ProcessIdentity, processMark } from './process-identity.ts';
import { type Account, canWriteIn, postgresAccount } from './run-as.ts';
import { readJsonFile, replaceSecretFile } from './secret-files.ts';
import { keepSecrets } from './secrets.ts';

export type { StopMode } from './postmaster.ts';

export const OWNER = 'countinghouse_owner';
export const APPLICATION = 'countinghouse_app';
export const DATABASE = 'countinghouse';

export interface PostgresOptions {
  /** Keeps secrets, port and log, and the cluster where the account that runs Postgres can reach it. Made when absent. */
  directory: string;
  /** Overrides of server settings, such as `{ shared_buffers: '512MB' }`. Kept for restarts. */
  settings?: Record<string, string | number | boolean>;
  /** A certain port. Without it the last one is used again if it is free, else another. */
  port?: number;
  /** False: a crash of the machine may cost data (a crash of Postgres never does). For tests. */
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
  readonly superuserUrl: string;
  readonly ownerUrl: string;
  readonly applicationUrl: string;
  /** The key of the cluster's data: 32 bytes in base64. */
  readonly encryptionKey: string;
  /** The URL of one of the three roles in another database of this server. */
  urlFor(role: 'superuser' | 'owner' | 'application', database: string): string;
  /** Starts it again on the same port, after a stop. */
  start(): Promise<void>;
  /** Resolves when the process is gone. */
  stop(mode?: StopMode): Promise<void>;
  /** Calls back when it ends without having been told to by this object. */
  onUnexpectedExit(listener: (description: string) => void): void;
}

/** What the folder remembers from one start to the next. */
interface Remembered {
  /** Where the cluster is. Beside us, or elsewhere when Postgres's account cannot reach this folder. */
  place: string;
  port: number;
  postmaster?: ProcessIdentity;
}

const REMEMBERED_FILE = 'postgres.json';

/** Enough for the pools of API, workers and queues in one or several processes. */
const SETTINGS = {
  max_connections: '200',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%u@%d ',
};

/** After SIGKILL of a server its processes take a moment to notice; until then Postgres refuses to start. */
const LEFTOVER_PROCESSES = /pre-existing shared memory block|lock file "[^"]+" already exists/;
const PORT_TAKEN = /could not bind|could not create any TCP\/IP sockets/;

/**
 * Starts a server over the directory's cluster, which is made at the first start. A server that still runs there is
 * stopped first: only call this when its parent is known to be dead. Throws EmbeddedPostgresError.
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  mkdirSync(options.directory, { recursive: true });
  const directory = realpathSync(options.directory);
  const remembered = readJsonFile<Remembered>(join(directory, REMEMBERED_FILE));
  const secrets = keepSecrets(directory);
  const account = accountFor(remembered);
  const place = remembered?.place ?? choosePlace(directory, account);
  const durable = options.durable ?? true;
  const binaries = preparePostgresBinaries(account);
  makePlace(place, account);
  replaceSecretFile(join(directory, REMEMBERED_FILE), {
    ...remembered,
    place,
    port: remembered?.port ?? 0,
  } satisfies Remembered);
  const cluster = ensureCluster({ binaries, place, account, superuserPassword: secrets.superuserPassword, durable });
  const logFile = join(directory, 'postgres.log');
  const settings = Object.fromEntries(
    Object.entries({
      ...SETTINGS,
      ...(!durable && { fsync: 'off', full_page_writes: 'off' }),
      ...options.settings,
    }).map(([name, value]) => [name, String(value)]),
  );
  let port = options.port ?? remembered?.port ?? 0;
  let postmaster: ProcessIdentity | undefined;
  const listeners: ((description: string) => void)[] = [];

  async function start(): Promise<void> {
    const left = livingPostmaster(cluster);
    if (left) await stopPostmaster(left, 'fast');
    const { child, port: bound } = await startOnPort({
      binaries,
      cluster,
      account,
      logFile,
      settings,
      port,
      fixed: options.port !== undefined,
    });
    port = bound;
    postmaster = { pid: child.pid!, mark: processMark(child.pid!)! };
    replaceSecretFile(join(directory, REMEMBERED_FILE), { place, port, postmaster } satisfies Remembered);
    const mine = postmaster;
    child.once('exit', (code, signal) => {
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

  const logins = {
    superuser: { name: SUPERUSER, password: secrets.superuserPassword },
    owner: { name: OWNER, password: secrets.ownerPassword },
    application: { name: APPLICATION, password: secrets.applicationPassword },
  };
  const urlFor = (role: keyof typeof logins, database: string) =>
    `postgres://${logins[role].name}:${logins[role].password}@127.0.0.1:${port}/${database}`;

  await start();
  try {
    await createRolesAndDatabase({
      superuserUrl: urlFor('superuser', 'postgres'),
      database: DATABASE,
      owner: logins.owner,
      application: logins.application,
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
    encryptionKey: secrets.encryptionKey,
    urlFor,
    start,
    stop,
    onUnexpectedExit: (listener) => void listeners.push(listener),
  };
}

/** An existing cluster decides who runs it: it opens for its owner alone. */
function accountFor(remembered: Remembered | undefined): Account | undefined {
  const owner = remembered && clusterOwner(remembered.place);
  if (!owner) return postgresAccount();
  const self = process.getuid?.();
  if (self === undefined || owner.uid === self) return undefined;
  if (self === 0) return owner;
  throw new EmbeddedPostgresError(
    `The cluster ${remembered.place} belongs to ${owner.name}.`,
    'Start as the user who made it, or name another folder in COUNTINGHOUSE_DATA.',
  );
}

/**
 * Inside the folder where Postgres's account can reach it, else in a directory for shared state, named after the folder:
 * a folder under somebody's 0700 home stays as closed as it is.
 */
function choosePlace(directory: string, account: Account | undefined): string {
  const inside = join(directory, 'postgres');
  if (!account) return inside;
  makePlace(inside, account);
  if (canWriteIn(inside, account)) return inside;
  const name = `cluster-${createHash('sha256')
    .update(`${directory}\0${statSync(directory).ino}`)
    .digest('hex')
    .slice(0, 16)}`;
  for (const base of sharedPlaces()) {
    if (!makeOwnDirectory(base)) continue;
    const place = join(base, name);
    makePlace(place, account);
    if (canWriteIn(place, account)) return place;
  }
  throw new EmbeddedPostgresError(
    `The account ${account.name}, which runs Postgres for root, can write neither in ${directory} nor in ${sharedPlaces().join(', ')}.`,
    'Name a folder that it can reach in COUNTINGHOUSE_DATA.',
  );
}

interface StartOnPort {
  binaries: ReturnType<typeof preparePostgresBinaries>;
  cluster: string;
  account: Account | undefined;
  logFile: string;
  settings: Record<string, string>;
  port: number;
  fixed: boolean;
}

async function startOnPort({
  port: wanted,
  fixed,
  ...options
}: StartOnPort): Promise<{ child: ChildProcess; port: number }> {
  const deadline = performance.now() + 30_000;
  let port = wanted !== 0 && (fixed || (await isPortFree(wanted))) ? wanted : await freePort();
  for (;;) {
    try {
      return { child: await startPostmaster({ ...options, port }), port };
    } catch (error) {
      const output = error instanceof PostmasterFailed ? error.output : '';
      const again = LEFTOVER_PROCESSES.test(output) || (!fixed && PORT_TAKEN.test(output));
      if (!again || performance.now() > deadline) throw error;
      if (PORT_TAKEN.test(output)) port = await freePort();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Lets the account that runs Postgres pass through a folder of ours to what is its own inside. Others learn no names. */
export function openForPassage(directory: string): void {
  if (process.getuid?.() === 0) chmodSync(directory, 0o711);
}
