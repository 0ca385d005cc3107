/**
 * Brings a database up to this code (db/migrate.ts), with the rows that every installation has: the operator's
 * organisation with its books, and columns that older rows lack. Every part can be repeated, and run by
 * several processes at once.
 */

import { type MigrateOptions, type MigrateResult, migrate } from '../db/migrate.ts';
import { createPool } from '../db/pool.ts';
import { adoptKeys } from '../organisations/adopt-keys.ts';
import { openOperatorOrganisation } from '../organisations/open-organisation.ts';
import { operatorBooks } from '../organisations/organisation-store.ts';
import { placeForeignNotices } from '../outside/notice-store.ts';
import { nameOperatorsOfExceptions } from '../payouts/resolution/resolution-store.ts';
import { systemClock } from '../values/clock.ts';

/** Applied where the database was empty (migrations/index.ts). */
const FIRST_MIGRATION = '0001-organisations';

export interface InstallOptions extends MigrateOptions {
  /** A new database is contracted at once: nobody runs an earlier version on it. */
  readonly contractNew?: boolean;
}

/** Throws what `migrate` throws. */
export async function install({ contractNew, ...options }: InstallOptions): Promise<MigrateResult> {
  let result = await migrate(options);
  if (contractNew && result.applied.includes(FIRST_MIGRATION)) {
    const { contract } = await migrate({ ...options, contract: { watchMs: 0 } });
    result = { ...result, contract };
  }
  const pool = createPool({ url: options.ownerUrl, name: 'countinghouse-migrate', size: 1, log: options.log });
  try {
    await openOperatorOrganisation(pool, systemClock);
    await adoptKeys(pool);
    await nameOperatorsOfExceptions(pool);
    await placeForeignNotices(pool, (await operatorBooks(pool)).test);
  } finally {
    await pool.end();
  }
  return result;
}
