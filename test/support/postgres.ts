/** A database for each test file: a copy of the migrated template, made in tens of milliseconds. See global-setup.ts. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: {
      superuserUrl: string;
      /** URLs whose database is to be put for NAME. */
      ownerUrl: string;
      applicationUrl: string;
      signerUrl: string;
      encryptionKey: string;
    };
  }
}

export const TEMPLATE = 'countinghouse_template';

export interface TestDatabase {
  name: string;
  /** Holds the schema: what an administrator or a migration may do. */
  ownerUrl: string;
  /** The product's own role. */
  applicationUrl: string;
  /** The role that adds checkpoints. */
  signerUrl: string;
  /** May do anything, such as ending another connection. In this database. */
  superuserUrl: string;
  /** A key for COUNTINGHOUSE_ENCRYPTION_KEY. */
  encryptionKey: string;
  /** Removes it, ending whatever is still connected. */
  drop(): Promise<void>;
}

/** An empty, migrated database with the roles' rights, as a fresh installation has it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asSuperuser(server.superuserUrl, `CREATE DATABASE ${name} OWNER countinghouse_owner TEMPLATE ${TEMPLATE}`);
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

/** A database that is being copied must have no connection. */
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
