/** Databases on a throwaway server, with the product's roles and their rights. */
import { createRolesAndDatabase } from '../../src/db/roles.ts';
import { APPLICATION, OWNER, SIGNER } from '../../src/embedded/logins.ts';
import type { ThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { RIGHTS } from '../../src/groups.ts';
import { install } from '../../src/operations/install.ts';
import { createLogger, type Logger } from '../../src/process/log.ts';

/** A migrated database that others are copied from, which takes tens of milliseconds. */
export const TEMPLATE = 'countinghouse_template';

/** Makes a database without a schema. */
export async function makeEmptyDatabase({ superuserUrl }: ThrowawayPostgres, name: string): Promise<void> {
  const unused = { password: '' }; // the roles exist since the server's start
  await createRolesAndDatabase({
    superuserUrl,
    database: name,
    owner: { name: OWNER, ...unused },
    application: { name: APPLICATION, ...unused },
    signer: { name: SIGNER, ...unused },
  });
}

/** Makes a database with this code's schema, as `npm run migrate` does. */
export async function makeMigratedDatabase(
  postgres: ThrowawayPostgres,
  name: string,
  log: Logger = createLogger('silent', 'harness'),
): Promise<void> {
  await makeEmptyDatabase(postgres, name);
  await install({
    rights: RIGHTS,
    ownerUrl: postgres.urlFor('owner', name),
    applicationUrl: postgres.urlFor('application', name),
    signerUrl: postgres.urlFor('signer', name),
    log,
  });
}
