/** A database that takes no connections for a while (ALTER DATABASE … ALLOW_CONNECTIONS false): it is away, and may come back. */
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { classifyFailure } from '../../../src/db/postgres-errors.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let database: TestDatabase;
let server: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  server = new pg.Client({ connectionString: inject('postgres').superuserUrl });
  await server.connect();
});

afterAll(async () => {
  await server?.end();
  await database?.drop();
});

async function failureOf(work: (client: pg.Client) => Promise<unknown>): Promise<unknown> {
  const client = new pg.Client({ connectionString: database.applicationUrl });
  client.on('error', () => {});
  try {
    await client.connect();
    await work(client);
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => {});
  }
  throw new Error('Nothing failed');
}

test('a connection that is refused is transient', async () => {
  await server.query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`);
  const failure = await failureOf(async () => {});
  expect(failure).toMatchObject({ code: '55000', routine: 'CheckMyDatabase' });
  expect(classifyFailure(failure)).toBe('transient');
  await server.query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS true`);
});

test('a statement that finds an object in another state is not', async () => {
  const failure = await failureOf(async (client) => {
    await client.query('CREATE TEMPORARY SEQUENCE unread');
    await client.query("SELECT currval('unread')");
  });
  expect(failure).toMatchObject({ code: '55000' });
  expect(classifyFailure(failure)).toBe('other');
});
