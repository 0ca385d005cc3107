/**
 * A Postgres server for one test run, bench or fault scenario, in memory or in the system's temporary directory. It is
 * removed at the end. The next run stops and removes servers that killed runs left behind.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForPassage } from './place.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres-server.ts';
import { livingPostmaster, stopPostmaster } from './postmaster.ts';
import { isAlive, type ProcessIdentity, thisProcess } from './process-identity.ts';
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
  const directory = makeThrowawayFolder(options.durable ? tmpdir() : fastFolder());
  const server = await startPostgres({ durable: false, ...options, directory });
  const remove = async () => {
    await server.stop('immediate');
    rmSync(directory, { recursive: true, force: true });
  };
  return Object.defineProperties({ remove } as ThrowawayPostgres, Object.getOwnPropertyDescriptors(server));
}

/** A folder that the next run removes if this one is killed, with the server whose cluster is `postgres/cluster` in it. */
export function makeThrowawayFolder(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, PREFIX));
  openForPassage(directory);
  createSecretFile(join(directory, PARENT_FILE), thisProcess());
  return directory;
}

const IN_MEMORY = '/dev/shm';
/** Of statfs(2). */
const TMPFS_MAGIC = 0x01021994;
/** Several times what a run of all tests has at once. A container may have 64 MB there. */
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/**
 * In memory where there is enough: tests make and drop a database each, of some thousand files, and ext4 looks for an inode
 * that was not freed within the last seconds (a sixth of the CPU of all tests).
 */
function fastFolder(): string {
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY);
    if (type === TMPFS_MAGIC && bavail * bsize >= MEMORY_BYTES_MIN) return IN_MEMORY;
  } catch {
    // No such folder on this system.
  }
  return tmpdir();
}

async function removeLeftovers(): Promise<void> {
  for (const parent of [tmpdir(), IN_MEMORY].filter((folder) => existsSync(folder))) await removeLeftoversIn(parent);
}

async function removeLeftoversIn(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(PREFIX))) {
    const directory = join(folder, name);
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
