/**
 * Whether Postgres keeps what it has committed when its machine ends at once. These are settings of the server, so no role
 * can set them. A commit is a promise that money moves: where they are off, no live money is accepted.
 */
import type { Logger } from '../process/log.ts';
import type { Queryable } from './pool.ts';
import { DatabaseRoleError } from './roles.ts';

const NEEDED = ['fsync', 'full_page_writes'];

export interface DurabilityOptions {
  /** DATABASE_ASSUME_DURABLE: the storage keeps what is written without these settings. */
  readonly assumed: boolean;
  readonly log: Logger;
  /** Whether this installation has live books in use. */
  readonly isLive: () => Promise<boolean>;
}

type Needed = Pick<DurabilityOptions, 'assumed' | 'isLive'>;

async function readOff(db: Queryable, { assumed }: Pick<Needed, 'assumed'>): Promise<string[]> {
  if (assumed) return [];
  const { rows } = await db.query<{ name: string }>(
    "SELECT name FROM pg_catalog.pg_settings WHERE name = ANY ($1) AND setting = 'off' ORDER BY name",
    [NEEDED],
  );
  return rows.map(({ name }) => name);
}

/** Settings that are off although there is live money: anybody may reload the server's configuration while processes run. */
export async function readUndurable(db: Queryable, { assumed, isLive }: Needed): Promise<string[]> {
  const off = await readOff(db, { assumed });
  return off.length > 0 && (await isLive()) ? off : [];
}

/** Throws DatabaseRoleError in live, and warns in test, when the server may lose or tear what is committed. */
export async function checkDurability(db: Queryable, { assumed, log, isLive }: DurabilityOptions): Promise<void> {
  const off = await readOff(db, { assumed });
  if (off.length === 0) return;
  if (!(await isLive())) {
    log.warn({ off }, 'Postgres may lose what is committed when its machine ends: test books only');
    return;
  }
  throw new DatabaseRoleError(
    `The Postgres of DATABASE_URL has ${off.join(' and ')} off: what was promised in live could be lost with its machine.`,
    `As a superuser: ${off.map((name) => `ALTER SYSTEM SET ${name} = on;`).join(' ')} SELECT pg_reload_conf(); where the storage keeps whole pages without them (Amazon Aurora), set DATABASE_ASSUME_DURABLE=true.`,
  );
}
