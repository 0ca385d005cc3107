/**
 * Brings a database up to this code (db/migrate.ts), with the rows that every installation has: the operator's organisation
 * with its books, and what rows of release 0.2.0 lack since they were written. Every part can be repeated, and run by
 * several processes at once.
 */
import { systemClock } from './clock.ts';
import { type MigrateOptions, type MigrateResult, migrate } from './db/migrate.ts';
import { createPool } from './db/pool.ts';
import { adoptKeys } from './organisations/adopt-keys.ts';
import { openOperatorOrganisation } from './organisations/open-organisation.ts';
import { operatorBooks } from './organisations/organisation-store.ts';
import { placeForeignNotices } from './outside/notice-store.ts';
import { nameOperatorsOfExceptions } from './payouts/resolution-store.ts';

/** Throws what `migrate` throws. */
export async function install(options: MigrateOptions): Promise<MigrateResult> {
  const result = await migrate(options);
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
