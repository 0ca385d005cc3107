import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../values/ids.ts';
import { further } from '../values/progress.ts';
import { serviceOf } from './person.ts';
import { insertPeople, listOwnerlessKeys, setOwners } from './person-store.ts';

const PAGE = 500;

/**
 * Gives each key without an owner the service of its name, which it belongs to already (person.ts): keys
 * from before they had owners. Repeated and concurrent calls do no harm.
 */
export async function adoptKeys(db: Queryable): Promise<void> {
  for (let after: Uuid | undefined; ; ) {
    const keys = await listOwnerlessKeys(db, { after, limit: PAGE });
    if (keys.length === 0) return;
    const services = keys.map((key) => serviceOf(key.organisationId, key.name, key.createdAt));
    await insertPeople(db, services);
    await setOwners(
      db,
      keys.map(({ bookId, id }, at) => ({ bookId, id, ownerId: services[at]!.id })),
    );
    if (keys.length < PAGE) return;
    after = further('keys', after, keys.at(-1)!.id);
  }
}
