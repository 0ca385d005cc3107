import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import { inTransaction } from '../db/transaction.ts';
import { newOrganisation, type Organisation } from './organisation.ts';
import { findOrganisationsByName, insertBook, insertOrganisation, lockOrganisations } from './organisation-store.ts';

/**
 * The organisation of this name, with its test and live books; made when none exists. Repeated calls return the same
 * organisation, also at the same time from several processes.
 */
export async function openOrganisation(
  pool: Pool,
  { name, clock }: { name: string; clock: Clock },
): Promise<Organisation> {
  const [known] = await findOrganisationsByName(pool, name);
  if (known) return known;
  return inTransaction(pool, async (trx) => {
    await lockOrganisations(trx);
    const [made] = await findOrganisationsByName(trx, name);
    if (made) return made;
    const { organisation, books } = newOrganisation(name, clock.now());
    await insertOrganisation(trx, organisation);
    for (const book of books) await insertBook(trx, book);
    return organisation;
  });
}
