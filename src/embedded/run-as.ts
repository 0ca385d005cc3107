/**
 * Picks the account that runs Postgres. Postgres refuses to run as root, so root runs it under another account of the
 * machine; any other user runs it as itself. initdb looks its account up by number, so the account must exist.
 */
import { spawnSync } from 'node:child_process';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** In order of preference: Postgres's own account, the account without rights, and an account that every Unix has. */
const CANDIDATES = ['postgres', 'nobody', 'daemon'];

/**
 * The account for Postgres; undefined for this process's own. `preferred` (COUNTINGHOUSE_POSTGRES_USER) replaces the
 * candidates. Throws EmbeddedPostgresError when this process is root and no account can be used.
 */
export function postgresAccount(preferred = process.env.COUNTINGHOUSE_POSTGRES_USER): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const candidates = preferred ? [preferred] : CANDIDATES;
  for (const name of candidates) {
    const account = lookUp(name);
    if (account && account.uid !== 0 && canBecome(account)) return account;
  }
  throw new EmbeddedPostgresError(
    `Postgres does not run as root, and none of the accounts ${candidates.join(', ')} can be used instead.`,
    'Start as another user, name an account in COUNTINGHOUSE_POSTGRES_USER, or set DATABASE_URL and DATABASE_OWNER_URL to a Postgres of your own.',
  );
}

/** The system's `id` knows all account databases (files, LDAP, directory services). */
function lookUp(name: string): Account | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
    return status === 0 ? Number.parseInt(stdout, 10) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { name, uid, gid };
}

/** In a container with few mapped ids, an account may exist in name only. */
function canBecome(account: Account): boolean {
  return runsShell('true', [], account);
}

/**
 * Whether the account can enter a directory and write there. The kernel decides: it knows groups, access lists and
 * mounts.
 */
export function canWriteIn(directory: string, account: Account | undefined): boolean {
  return runsShell('cd -- "$1" && test -w .', [directory], account);
}

function runsShell(script: string, values: string[], account: Account | undefined): boolean {
  const { status } = spawnSync('/bin/sh', ['-c', script, 'sh', ...values], {
    cwd: '/',
    stdio: 'ignore',
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  return status === 0;
}
