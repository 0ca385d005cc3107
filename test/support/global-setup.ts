/**
 * One Postgres server for the whole test run, with a migrated template database for the tests' own databases. In
 * vitest's configuration: `globalSetup: ['test/support/global-setup.ts']`.
 */
import type { TestProject } from 'vitest/node';
import { createRolesAndDatabase } from '../../src/db/roles.ts';
import { APPLICATION, OWNER, SIGNER } from '../../src/embedded/logins.ts';
import { startThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { install } from '../../src/install.ts';
import { createLogger } from '../../src/log.ts';
import { closeTemplate, TEMPLATE } from './postgres.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startThrowawayPostgres({ settings: { max_connections: 400 } });
  try {
    const superuserUrl = server.superuserUrl;
    const unused = { password: '' }; // the server has made the roles at its start
    await createRolesAndDatabase({
      superuserUrl,
      database: TEMPLATE,
      owner: { name: OWNER, ...unused },
      application: { name: APPLICATION, ...unused },
      signer: { name: SIGNER, ...unused },
    });
    await install({
      ownerUrl: server.urlFor('owner', TEMPLATE),
      applicationUrl: server.urlFor('application', TEMPLATE),
      signerUrl: server.urlFor('signer', TEMPLATE),
      log: createLogger('silent', 'test'),
    });
    await closeTemplate(superuserUrl);
    project.provide('postgres', {
      superuserUrl,
      ownerUrl: server.urlFor('owner', 'NAME'),
      applicationUrl: server.urlFor('application', 'NAME'),
      signerUrl: server.urlFor('signer', 'NAME'),
      encryptionKey: server.encryptionKey,
    });
  } catch (error) {
    await server.remove();
    throw error;
  }
  return () => server.remove();
}
