/** State of a data folder's Postgres between starts. */
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { ProcessIdentity } from './process-identity.ts';
import { readJsonFile, replaceSecretFile } from './secret-files.ts';

export interface RememberedPostgres {
  /** The directory of the cluster: inside the folder, or elsewhere if Postgres's account cannot reach the folder. */
  place: string;
  /** 0 before the first start. */
  port: number;
  /** The server of the last start, which may have ended. */
  postmaster?: ProcessIdentity;
}

const FILE = 'postgres.json';

export function rememberedPostgres(directory: string): RememberedPostgres | undefined {
  const remembered = readJsonFile<RememberedPostgres>(join(directory, FILE));
  return remembered && { ...remembered, place: resolve(directory, remembered.place) };
}

/** A place inside the folder is stored as a relative path, so that the folder can be moved. */
export function rememberPostgres(directory: string, postgres: RememberedPostgres): void {
  const path = relative(directory, postgres.place);
  const inside = !path.startsWith('..') && !isAbsolute(path);
  replaceSecretFile(join(directory, FILE), { ...postgres, place: inside ? path : postgres.place });
}
