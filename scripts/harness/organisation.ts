/** Makes organisations for scenarios and tests. */
import { randomUUID } from 'node:crypto';
import type { Pool } from '../../src/db/pool.ts';
import { EVERY_SCOPE } from '../../src/organisations/api-key.ts';
import { openOrganisation } from '../../src/organisations/open-organisation.ts';
import { findBookId } from '../../src/organisations/organisation-store.ts';
import { systemClock } from '../../src/values/clock.ts';
import { issueApiKey } from './issue-api-key.ts';

export interface OrganisationKeys {
  name: string;
  testKey: string;
  liveKey: string;
  testBookId: string;
  liveBookId: string;
}

/** Makes an organisation with its two books, and for each a key that may do everything. */
export async function makeOrganisation(pool: Pool, name = `Organisation ${randomUUID()}`): Promise<OrganisationKeys> {
  const { id } = await openOrganisation(pool, { name, clock: systemClock });
  const [testBookId, liveBookId] = [(await findBookId(pool, id, 'test'))!, (await findBookId(pool, id, 'live'))!];
  const key = async (bookId: string, mode: 'test' | 'live') =>
    (await issueApiKey(pool, systemClock, { bookId, mode, name, scopes: [EVERY_SCOPE] })).token;
  return {
    name,
    testBookId,
    liveBookId,
    testKey: await key(testBookId, 'test'),
    liveKey: await key(liveBookId, 'live'),
  };
}
