/**
 * Brings a database up to this code (db/migrate.ts), with the rows that every installation has: the operator's
 * organisation with its books, and columns that older rows lack. A new database is contracted to this version. Every part
 * can be repeated, and run by several processes at once.
 */

import { ContractRefused } from '../db/contract.ts';
import { readAnyOrganisation } from '../db/installation-store.ts';
import { type MigrateOptions, type MigrateResult, migrate } from '../db/migrate.ts';
import { createPool } from '../db/pool.ts';
import { adoptKeys } from '../organisations/adopt-keys.ts';
import { openOperatorOrganisation } from '../organisations/open-organisation.ts';
import { operatorBooks } from '../organisations/organisation-store.ts';
import { placeForeignNotices } from '../outside/notices/notice-store.ts';
import { nameOperatorsOfExceptions } from '../payouts/resolution/resolution-store.ts';
import { systemClock } from '../values/clock.ts';

/** Throws what `migrate` throws. */
export async function install(options: MigrateOptions): Promise<MigrateResult> {
  let result = await migrate(options);
  const pool = createPool({ url: options.ownerUrl, name: 'countinghouse-migrate', size: 1, log: options.log });
  try {
    if (result.contract === undefined && !(await readAnyOrganisation(pool)))
      result = { ...result, ...(await contractUnused(options)) };
    await openOperatorOrganisation(pool, systemClock);
    await adoptKeys(pool);
    await nameOperatorsOfExceptions(pool);
    await placeForeignNotices(pool, (await operatorBooks(pool)).test);
  } finally {
    await pool.end();
  }
  return result;
}

/**
 * A database without an organisation has served nobody: there is no version before to wait for. Connections that name no version may be
 * there all the same, a `psql` of the application's role or the role's pooler: then a person contracts, as of any database.
 */
async function contractUnused(options: MigrateOptions): Promise<Pick<MigrateResult, 'contract'>> {
  try {
    const { contract } = await migrate({ ...options, contract: { watchMs: 0 } });
    return contract === undefined ? {} : { contract };
  } catch (error) {
    if (!(error instanceof ContractRefused)) throw error;
    options.log.warn({ err: error }, 'a new database is not contracted: run npm run migrate -- --contract');
    return {};
  }
}
