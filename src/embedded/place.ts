/** The directory of a folder's cluster, and the account that runs Postgres. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnDirectory, sharedPlaces } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type RememberedPostgres, rememberedPostgres } from './remembered-postgres.ts';
import { type Account, canWriteIn, postgresAccount } from './run-as.ts';

export interface Place {
  /** A directory of the account that contains the cluster or will contain it. */
  path: string;
  /** The account that runs Postgres; undefined for this process's own. */
  account: Account | undefined;
  remembered: RememberedPostgres | undefined;
}

/**
 * The place of a folder's cluster. An existing cluster stays where it is. A new one goes inside the folder if
 * Postgres's account can reach it, else into a shared directory, so that a folder in a 0700 home stays closed. Throws
 * EmbeddedPostgresError.
 */
export function placeOf(directory: string): Place {
  const remembered = rememberedPostgres(directory);
  if (!remembered) {
    const account = postgresAccount();
    return { path: choosePlace(directory, account), account, remembered };
  }
  const cluster = join(remembered.place, 'cluster');
  if (existsSync(join(cluster, 'PG_VERSION'))) {
    return { path: remembered.place, account: ownerOf(cluster), remembered };
  }
  if (remembered.postmaster) {
    throw new EmbeddedPostgresError(
      `The cluster ${cluster}, where the data of ${directory} are, is gone.`,
      'Restore it from a backup; or, to begin anew without the old data, remove the folder or name another in COUNTINGHOUSE_DATA.',
    );
  }
  const account = postgresAccount();
  makePlace(remembered.place, account); // the process ended after it chose the place and before it made the cluster
  return { path: remembered.place, account, remembered };
}

/** Postgres opens a cluster only for its owner, so the owner runs it. */
function ownerOf(cluster: string): Account | undefined {
  const { uid, gid } = statSync(cluster);
  const self = process.getuid?.();
  if (self === undefined || uid === self) return undefined;
  if (self === 0) return { name: `uid ${uid}`, uid, gid };
  throw new EmbeddedPostgresError(
    `The cluster ${cluster} belongs to uid ${uid}.`,
    'Start as the user who made it, or name another folder in COUNTINGHOUSE_DATA.',
  );
}

function choosePlace(directory: string, account: Account | undefined): string {
  const inside = join(directory, 'postgres');
  makePlace(inside, account);
  if (!account || canWriteIn(inside, account)) return inside;
  rmSync(inside, { recursive: true });
  for (const base of sharedPlaces()) {
    if (!makeOwnDirectory(base)) continue;
    const place = join(base, `cluster-${randomBytes(8).toString('hex')}`);
    makePlace(place, account);
    if (canWriteIn(place, account)) {
      // For a person who finds the directory: the folder that it belongs to.
      writeFileSync(join(place, 'belongs-to'), `${directory}\n`, { flag: 'wx' });
      return place;
    }
  }
  throw new EmbeddedPostgresError(
    `The account ${account.name}, which runs Postgres for root, can write neither in ${directory} nor in ${sharedPlaces().join(', ')}.`,
    'Name a folder that it can reach in COUNTINGHOUSE_DATA.',
  );
}

/** Makes the directory, owned by the account and closed to other accounts. */
function makePlace(path: string, account: Account | undefined): void {
  mkdirSync(path, { recursive: true });
  if (account) chownSync(path, account.uid, account.gid);
  chmodSync(path, 0o700);
}

/**
 * Makes a data folder. For root, the account of Postgres can pass through the folder to its own directory inside, and
 * no other account can list it. An existing folder keeps its mode.
 */
export function makeDataFolder(directory: string): void {
  if (existsSync(directory)) return;
  mkdirSync(directory, { recursive: true });
  openForPassage(directory);
}

export function openForPassage(directory: string): void {
  chmodSync(directory, process.getuid?.() === 0 ? 0o711 : 0o700);
}
