/**
 * One Postgres server for the whole test run, with a migrated template database for the tests' own databases. In
 * vitest's configuration: `globalSetup: ['test/support/global-setup.ts']`.
 */
import type { TestProject } from 'vitest/node';
import { makeMigratedDatabase, TEMPLATE } from '../../scripts/harness/databases.ts';
import { startThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { closeTemplate } from './postgres.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Thousands of connections are made: the password of each is stretched once, not 4,096 times.
  const server = await startThrowawayPostgres({ settings: { max_connections: 400, scram_iterations: 1 } });
  try {
    const { superuserUrl } = server;
    await makeMigratedDatabase(server, TEMPLATE);
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
