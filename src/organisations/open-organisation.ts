import type { Pool, Queryable } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../values/clock.ts';
import { newOrganisation, OPERATOR_NAME, type Organisation, type OrganisationKind } from './organisation.ts';
import {
  findOperatorOrganisation,
  findOrganisationsByName,
  insertBook,
  insertOrganisation,
  lockOrganisations,
} from './organisation-store.ts';

/**
 * The customer's organisation of this name, with its test and live books; made when none exists. Repeated calls return
 * the same organisation, also at the same time from several processes.
 */
export function openOrganisation(pool: Pool, { name, clock }: { name: string; clock: Clock }): Promise<Organisation> {
  const find = async (db: Queryable) => (await findOrganisationsByName(db, name))[0];
  return findOrMake(pool, { name, kind: 'customer', clock, find });
}

/** The operator's organisation, of which there is one, in the same way. */
export function openOperatorOrganisation(pool: Pool, clock: Clock): Promise<Organisation> {
  return findOrMake(pool, { name: OPERATOR_NAME, kind: 'operator', clock, find: findOperatorOrganisation });
}

async function findOrMake(
  pool: Pool,
  organisation: {
    name: string;
    kind: OrganisationKind;
    clock: Clock;
    find: (db: Queryable) => Promise<Organisation | undefined>;
  },
): Promise<Organisation> {
  const { name, kind, clock, find } = organisation;
  const known = await find(pool);
  if (known) return known;
  return inTransaction(pool, async (trx) => {
    await lockOrganisations(trx);
    const found = await find(trx);
    if (found) return found;
    const made = newOrganisation(name, clock.now(), kind);
    await insertOrganisation(trx, made.organisation);
    for (const book of made.books) await insertBook(trx, book);
    return made.organisation;
  });
}
