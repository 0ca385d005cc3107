/** Makes a cluster: the data directory of one Postgres server. Whole or absent, also when the process dies in between. */
import { spawnSync } from 'node:child_process';
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
  /** A directory that the account can write. The cluster becomes `<place>/cluster`. */
  place: string;
  account: Account | undefined;
  superuserPassword: string;
  /** False for clusters that end with their test: their files are not forced to disk. */
  durable: boolean;
}

/** The path of the cluster, made now unless it is there. Throws EmbeddedPostgresError with initdb's own words. */
export function ensureCluster({ binaries, place, account, superuserPassword, durable }: ClusterOptions): string {
  const cluster = join(place, 'cluster');
  if (existsSync(join(cluster, 'PG_VERSION'))) return cluster;
  for (const name of readdirSync(place).filter((entry) => entry.startsWith(DRAFT))) {
    rmSync(join(place, name), { recursive: true, force: true }); // of a process that was killed while it made one
  }
  const draft = mkdtempSync(join(place, DRAFT));
  const passwordFile = join(draft, 'password');
  const data = join(draft, 'cluster');
  try {
    writeFileSync(passwordFile, `${superuserPassword}\n`, { mode: 0o600, flag: 'wx' });
    mkdirSync(data, { mode: 0o700 });
    if (account) for (const path of [draft, passwordFile, data]) chownSync(path, account.uid, account.gid);
    runInitdb(binaries.initdb, { data, passwordFile, account, durable });
    renameSync(data, cluster);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return cluster;
}

/** Nobody is trusted for being on this machine: every connection gives a password. */
const AUTHENTICATION = '--auth=scram-sha-256';
/** The built-in C.UTF-8 is the same on every machine, whatever locales and ICU it has. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

function runInitdb(
  initdb: string,
  {
    data,
    passwordFile,
    account,
    durable,
  }: { data: string; passwordFile: string; account: Account | undefined; durable: boolean },
): void {
  const options = [
    `--pgdata=${data}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    AUTHENTICATION,
    ...LOCALE,
  ];
  const { status, error, stdout, stderr } = spawnSync(initdb, durable ? options : [...options, '--no-sync'], {
    cwd: '/',
    encoding: 'utf8',
    env: postgresEnvironment(),
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  if (status === 0) return;
  throw new EmbeddedPostgresError(
    `The database cluster could not be made:\n${(error?.message ?? `${stdout}\n${stderr}`).trim().split('\n').slice(-6).join('\n')}`,
    'Make room on the disk or name another folder in COUNTINGHOUSE_DATA, or set DATABASE_URL to a Postgres of your own.',
  );
}
