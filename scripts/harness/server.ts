/** One durable Postgres for a whole run, with a migrated database as the template of every stage's own. */
import { createPool } from '../../src/db/pool.ts';
import { OWNER } from '../../src/embedded/logins.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../src/embedded/throwaway-postgres.ts';
import { createLogger } from '../../src/process/log.ts';
import { copyDatabase, dropDatabase } from './database-store.ts';
import { makeEmptyDatabase, makeMigratedDatabase, TEMPLATE } from './databases.ts';

export interface Server {
  readonly postgres: ThrowawayPostgres;
  /** Makes an empty, migrated database. */
  makeDatabase(name: string): Promise<Database>;
  /** Makes a database without a schema. */
  makeEmptyDatabase(name: string): Promise<Database>;
  remove(): Promise<void>;
}

export interface Database {
  readonly name: string;
  readonly superuserUrl: string;
  readonly ownerUrl: string;
  readonly applicationUrl: string;
  readonly signerUrl: string;
  readonly encryptionKey: string;
  drop(): Promise<void>;
}

const log = createLogger('silent', 'harness');

export async function startServer(): Promise<Server> {
  const postgres = await startThrowawayPostgres({ durable: true, settings: { max_connections: 300 } });
  /** Connects to the server's own database: a database that is copied or dropped must have no connection. */
  const asSuperuser = async (work: (pool: ReturnType<typeof createPool>) => Promise<unknown>) => {
    const pool = createPool({ url: postgres.superuserUrl, name: 'harness', size: 1, log, queryTimeoutMs: 60_000 });
    try {
      await work(pool);
    } finally {
      await pool.end();
    }
  };
  const databaseOf = (name: string): Database => ({
    name,
    superuserUrl: postgres.urlFor('superuser', name),
    ownerUrl: postgres.urlFor('owner', name),
    applicationUrl: postgres.urlFor('application', name),
    signerUrl: postgres.urlFor('signer', name),
    encryptionKey: postgres.encryptionKey,
    drop: () => asSuperuser((pool) => dropDatabase(pool, name)),
  });
  await makeMigratedDatabase(postgres, TEMPLATE);
  return {
    postgres,
    async makeDatabase(name) {
      await asSuperuser((pool) => copyDatabase(pool, { name, template: TEMPLATE, owner: OWNER }));
      return databaseOf(name);
    },
    async makeEmptyDatabase(name) {
      await makeEmptyDatabase(postgres, name);
      return databaseOf(name);
    },
    remove: () => postgres.remove(),
  };
}
