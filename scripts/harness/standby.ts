/** A hot standby of a throwaway Postgres: it follows it, answers reads and refuses everything else. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPool } from '../../src/db/pool.ts';
import { preparePostgresBinaries } from '../../src/embedded/binaries.ts';
import type { PostgresServer } from '../../src/embedded/postgres-server.ts';
import { startPostmaster, stopPostmaster } from '../../src/embedded/postmaster.ts';
import { processMark } from '../../src/embedded/process-identity.ts';
import { makeThrowawayFolder } from '../../src/embedded/throwaway-postgres.ts';
import { createLogger } from '../../src/process/log.ts';
import { whileBackedUp } from './database-store.ts';
import { ownPort } from './ports.ts';

export interface Standby {
  readonly port: number;
  /** Stops the standby and deletes its files. */
  remove(): Promise<void>;
}

export async function startStandby(primary: PostgresServer): Promise<Standby> {
  const directory = makeThrowawayFolder();
  const { uid, gid } = statSync(primary.cluster);
  const account = uid === process.getuid?.() ? undefined : { name: `uid ${uid}`, uid, gid };
  const place = join(directory, 'postgres');
  const cluster = join(place, 'cluster');
  mkdirSync(place, { mode: 0o700 });
  chownSync(place, uid, gid);
  const { maxConnections, label } = await copyOf(primary, cluster, account);
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  for (const [name, text] of Object.entries({ backup_label: label, 'standby.signal': '' })) {
    writeFileSync(join(cluster, name), text);
    chownSync(join(cluster, name), uid, gid);
  }
  const port = await ownPort();
  const { username, password } = new URL(primary.superuserUrl);
  const child = await startPostmaster({
    ...{ binaries: preparePostgresBinaries(account), cluster, account, port },
    logFile: join(directory, 'postgres.log'),
    settings: {
      // A standby has room for as many connections as its primary.
      max_connections: maxConnections,
      fsync: 'off',
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${username} password=${password}`,
    },
  });
  const postmaster = { pid: child.pid!, mark: processMark(child.pid!) ?? 'ended' };
  return {
    port,
    async remove() {
      await stopPostmaster(postmaster, 'immediate');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Copies the files while the server runs, as the account to which they belong. */
async function copyOf({ superuserUrl, cluster }: PostgresServer, to: string, account?: { uid: number; gid: number }) {
  const pool = createPool({ url: superuserUrl, name: 'harness', size: 1, log: createLogger('silent', 'harness') });
  try {
    return await whileBackedUp(pool, () => {
      spawnSync('cp', ['-R', '-p', cluster, to], { cwd: '/', stdio: 'ignore', uid: account?.uid, gid: account?.gid });
    });
  } finally {
    await pool.end();
  }
}
