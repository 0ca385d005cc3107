/** Roles and database of the embedded cluster, and the URLs to connect. */
import { SUPERUSER } from './cluster.ts';
import type { Secrets } from './secrets.ts';

export const OWNER = 'countinghouse_owner';
export const APPLICATION = 'countinghouse_app';
export const SIGNER = 'countinghouse_signer';
export const DATABASE = 'countinghouse';

export type Role = 'superuser' | 'owner' | 'application' | 'signer';

export function loginsOf(secrets: Secrets) {
  return {
    superuser: { name: SUPERUSER, password: secrets.superuserPassword },
    owner: { name: OWNER, password: secrets.ownerPassword },
    application: { name: APPLICATION, password: secrets.applicationPassword },
    signer: { name: SIGNER, password: secrets.signerPassword },
  };
}

export function urlOf(
  secrets: Secrets,
  { role, port, database }: { role: Role; port: number; database: string },
): string {
  const { name, password } = loginsOf(secrets)[role];
  return `postgres://${name}:${password}@127.0.0.1:${port}/${database}`;
}
