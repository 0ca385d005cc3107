/** People of an organisation, each with a key of their own. */

import { issueApiKey } from '../../scripts/harness/issue-api-key.ts';
import type { Pool } from '../../src/db/pool.ts';
import { findOrganisationOfBook } from '../../src/organisations/organisation-store.ts';
import { newPerson } from '../../src/organisations/person.ts';
import { insertPeople } from '../../src/organisations/person-store.ts';
import { systemClock } from '../../src/values/clock.ts';
import { publicId } from '../../src/values/ids.ts';

export interface TestPerson {
  /** `person_…` */
  readonly id: string;
  /** A key of the test book. */
  readonly key: string;
}

export async function addPersonOf(
  pool: Pool,
  bookId: string,
  { name, scopes = ['*'] }: { name: string; scopes?: readonly string[] },
): Promise<TestPerson> {
  const person = newPerson((await findOrganisationOfBook(pool, bookId))!, name, systemClock.now());
  await insertPeople(pool, [person]);
  const issued = await issueApiKey(pool, systemClock, { bookId, mode: 'test', name, scopes, personId: person.id });
  return { id: publicId('person', person.id), key: issued.token };
}
