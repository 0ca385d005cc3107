/** Makes a cluster, the data directory of one Postgres server. It is whole or absent, even if the process is killed. */
import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { postgresEnvironment } from './postmaster.ts';
import type { Account } from './run-as.ts';

export const SUPERUSER = 'postgres';

const DRAFT = '.initdb-';

export interface ClusterOptions {
  binaries: PostgresBinaries;
  /** A directory that the account can write. The cluster is `<place>/cluster`. */
  place: string;
  account: Account | undefined;
  superuserPassword: string;
  /** False for clusters that last for one test: their files are not synced to disk. */
  durable: boolean;
}

/**
 * Returns the path of the cluster, and makes the cluster if it is absent. Throws EmbeddedPostgresError with initdb's
 * output.
 */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const { binaries, place, account, superuserPassword, durable } = options;
  const cluster = join(place, 'cluster');
  if (existsSync(join(cluster, 'PG_VERSION'))) return cluster;
  for (const name of readdirSync(place).filter((entry) => entry.startsWith(DRAFT))) {
    removeDraft(join(place, name)); // of a process that was killed during initdb
  }
  const draft = mkdtempSync(join(place, DRAFT));
  const passwordFile = join(draft, 'password');
  const data = join(draft, 'cluster');
  try {
    writeFileSync(passwordFile, `${superuserPassword}\n`, { mode: 0o600, flag: 'wx' });
    mkdirSync(data, { mode: 0o700 });
    if (account) for (const path of [draft, passwordFile, data]) chownSync(path, account.uid, account.gid);
    await runInitdb({ initdb: binaries.initdb, data, passwordFile, account, durable });
    renameSync(data, cluster);
  } finally {
    removeDraft(draft);
  }
  return cluster;
}

/** Retries, because the initdb of a killed process may still be writing there. */
function removeDraft(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Local connections need a password too. */
const AUTHENTICATION = '--auth=scram-sha-256';
/** The built-in C.UTF-8 is the same on every machine, with any locales and ICU. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

interface Initdb {
  initdb: string;
  data: string;
  passwordFile: string;
  account: Account | undefined;
  durable: boolean;
}

/** Runs initdb in its own session, like the server, so that Ctrl-C does not end it half way. */
async function runInitdb({ initdb, data, passwordFile, account, durable }: Initdb): Promise<void> {
  const given = [`--pgdata=${data}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, AUTHENTICATION, ...LOCALE];
  const child = spawn(initdb, durable ? given : [...given, '--no-sync'], {
    cwd: '/',
    detached: true,
    env: postgresEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  if (code === 0) return;
  throw new EmbeddedPostgresError(
    `The database cluster could not be made:\n${output.trim().split('\n').slice(-6).join('\n')}`,
    'Make room on the disk or name another folder in COUNTINGHOUSE_DATA, or set DATABASE_URL to a Postgres of your own.',
  );
}
