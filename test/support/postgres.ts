/**
 * A database for each test file: a copy of the migrated template, made in tens of milliseconds. See global-setup.ts.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { TEMPLATE } from '../../scripts/harness/databases.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: {
      superuserUrl: string;
      /** URLs with NAME in place of the database name. */
      ownerUrl: string;
      applicationUrl: string;
      signerUrl: string;
      encryptionKey: string;
    };
  }
}

export interface TestDatabase {
  name: string;
  /** The owner of the schema: migrations and administration. */
  ownerUrl: string;
  /** The product's own role. */
  applicationUrl: string;
  /** The role that adds checkpoints. */
  signerUrl: string;
  /** A superuser in this database, for example to end other connections. */
  superuserUrl: string;
  /** A value for COUNTINGHOUSE_ENCRYPTION_KEY. */
  encryptionKey: string;
  /** Drops the database and ends its connections. */
  drop(): Promise<void>;
}

/** An empty, migrated database with the roles' rights, like a new installation. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asSuperuser(
    server.superuserUrl,
    `CREATE DATABASE ${name} OWNER countinghouse_owner TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`,
  );
  return {
    name,
    ownerUrl: server.ownerUrl.replace(/NAME$/, name),
    applicationUrl: server.applicationUrl.replace(/NAME$/, name),
    signerUrl: server.signerUrl.replace(/NAME$/, name),
    superuserUrl: server.superuserUrl.replace(/\/postgres$/, `/${name}`),
    encryptionKey: server.encryptionKey,
    drop: () => asSuperuser(server.superuserUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** A template that is copied must have no connections. */
export async function closeTemplate(superuserUrl: string): Promise<void> {
  await asSuperuser(superuserUrl, `ALTER DATABASE ${TEMPLATE} ALLOW_CONNECTIONS false`);
}

async function asSuperuser(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
