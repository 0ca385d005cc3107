/**
 * A Postgres server for one test run, bench or fault scenario, in the system's temporary directory. It is removed at
 * the end. The next run stops and removes servers that killed runs left behind.
 */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { preparePostgresBinaries } from './binaries.ts';
import { openForPassage } from './place.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.ts';
import { freePort, livingPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';
import { isAlive, type ProcessIdentity, processMark, thisProcess } from './process-identity.ts';
import { createSecretFile, readJsonFile } from './secret-files.ts';

const PREFIX = 'countinghouse-throwaway-';
const PARENT_FILE = 'parent.json';

export interface ThrowawayPostgres extends PostgresServer {
  /** Stops the server and deletes its files. */
  remove(): Promise<void>;
}

/** Not durable by default. Pass `durable: true` to measure, or to test recovery from a power cut. */
export async function startThrowawayPostgres(
  options: Omit<PostgresOptions, 'directory'> = {},
): Promise<ThrowawayPostgres> {
  await removeLeftovers();
  const directory = makeThrowawayFolder();
  const server = await startPostgres({ durable: false, ...options, directory });
  const remove = async () => {
    await server.stop('immediate');
    rmSync(directory, { recursive: true, force: true });
  };
  return Object.defineProperties({ remove } as ThrowawayPostgres, Object.getOwnPropertyDescriptors(server));
}

function makeThrowawayFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), PREFIX));
  openForPassage(directory);
  createSecretFile(join(directory, PARENT_FILE), thisProcess());
  return directory;
}

export interface ThrowawayStandby {
  readonly port: number;
  /** Stops the standby and deletes its files. */
  remove(): Promise<void>;
}

/** A hot standby that follows the server: it answers reads and refuses everything else. */
export async function startThrowawayStandby(primary: PostgresServer): Promise<ThrowawayStandby> {
  const directory = makeThrowawayFolder();
  const { uid, gid } = statSync(primary.cluster);
  const account = uid === process.getuid?.() ? undefined : { name: `uid ${uid}`, uid, gid };
  // Where removeLeftovers looks for a server.
  const place = join(directory, 'postgres');
  const cluster = join(place, 'cluster');
  mkdirSync(place, { mode: 0o700 });
  chownSync(place, uid, gid);
  const { settings, label } = await copyCluster(primary, (from) => {
    spawnSync('cp', ['-R', '-p', from, cluster], { cwd: '/', stdio: 'ignore', ...(account && { uid, gid }) });
  });
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
  for (const [name, text] of Object.entries({ backup_label: label, 'standby.signal': '' })) {
    writeFileSync(join(cluster, name), text);
    chownSync(join(cluster, name), uid, gid);
  }
  const port = await freePort();
  const { username, password } = new URL(primary.superuserUrl);
  const child = await startPostmaster({
    ...{ binaries: preparePostgresBinaries(account), cluster, account, port },
    logFile: join(directory, 'postgres.log'),
    settings: {
      ...settings,
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

/** Copies the files while the server runs, between the two calls of its backup interface. */
async function copyCluster(
  { superuserUrl, cluster }: PostgresServer,
  copy: (from: string) => void,
): Promise<{ settings: Record<string, string>; label: string }> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rows: limits } = await client.query("SELECT current_setting('max_connections') AS max_connections");
    await client.query("SELECT pg_backup_start('standby', true)");
    copy(cluster);
    const { rows: ends } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    // A standby has room for as many connections as its primary.
    return { settings: limits[0], label: ends[0].labelfile };
  } finally {
    await client.end();
  }
}

async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const directory = join(tmpdir(), name);
    try {
      const parent = readJsonFile<ProcessIdentity>(join(directory, PARENT_FILE));
      // Without the file, the directory is being made, or is not a throwaway's.
      if (!parent || isAlive(parent)) continue;
      const postmaster = livingPostmaster(join(directory, 'postgres', 'cluster'));
      if (postmaster) await stopPostmaster(postmaster, 'immediate');
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Another user's directory, which only that user can remove.
    }
  }
}
