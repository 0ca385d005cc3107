/**
 * A Postgres server for one test run, bench or fault scenario, in the system's temporary directory. It is removed at
 * the end. The next run stops and removes servers that killed runs left behind.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
  const directory = makeThrowawayFolder();
  const server = await startPostgres({ durable: false, ...options, directory });
  const remove = async () => {
    await server.stop('immediate');
    rmSync(directory, { recursive: true, force: true });
  };
  return Object.defineProperties({ remove } as ThrowawayPostgres, Object.getOwnPropertyDescriptors(server));
}

/** A folder that the next run removes if this one is killed, with the server whose cluster is `postgres/cluster` in it. */
export function makeThrowawayFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), PREFIX));
  openForPassage(directory);
  createSecretFile(join(directory, PARENT_FILE), thisProcess());
  return directory;
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
