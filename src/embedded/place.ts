/** Where a folder's cluster lies, and who runs it. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnDirectory, sharedPlaces } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type RememberedPostgres, rememberedPostgres } from './remembered-postgres.ts';
import { type Account, canWriteIn, postgresAccount } from './run-as.ts';

export interface Place {
  /** A directory of the account's, in which the cluster is or will be. */
  path: string;
  /** Who runs Postgres; undefined for ourselves. */
  account: Account | undefined;
  remembered: RememberedPostgres | undefined;
}

/**
 * The place of a folder's cluster: where it was, or for a new one inside the folder when Postgres's account can reach it,
 * else in a directory for shared state. A folder under somebody's 0700 home stays as closed as it is.
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
  makePlace(remembered.place, account); // it was chosen, and the process ended before the cluster was made
  return { path: remembered.place, account, remembered };
}

/** A cluster opens for its owner alone, so its owner runs it. */
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
      // Who finds it there shall know whose it is.
      writeFileSync(join(place, 'belongs-to'), `${directory}\n`, { flag: 'wx' });
      return place;
    }
  }
  throw new EmbeddedPostgresError(
    `The account ${account.name}, which runs Postgres for root, can write neither in ${directory} nor in ${sharedPlaces().join(', ')}.`,
    'Name a folder that it can reach in COUNTINGHOUSE_DATA.',
  );
}

/** Makes the directory, owned by the account and closed to others. */
function makePlace(path: string, account: Account | undefined): void {
  mkdirSync(path, { recursive: true });
  if (account) chownSync(path, account.uid, account.gid);
  chmodSync(path, 0o700);
}

/**
 * Makes a folder of ours through which the account that runs Postgres for root can pass to what is its own inside; nobody
 * else learns a name in it. A folder that is already there keeps its mode.
 */
export function makeDataFolder(directory: string): void {
  if (existsSync(directory)) return;
  mkdirSync(directory, { recursive: true });
  openForPassage(directory);
}

export function openForPassage(directory: string): void {
  chmodSync(directory, process.getuid?.() === 0 ? 0o711 : 0o700);
}
