/** For the knex command line (`npx knex migrate:list`). The product migrates by `npm run migrate` and at the embedded start. */
import type { Knex } from 'knex';
import { migrationSource } from './migrations/index.ts';

export function knexConfig(ownerUrl: string): Knex.Config {
  return {
    client: 'pg',
    connection: ownerUrl,
    pool: { min: 0, max: 2 },
    migrations: { migrationSource, tableName: 'schema_migrations' },
  };
}

export default knexConfig(process.env.DATABASE_OWNER_URL ?? '');
