/**
 * Facts about the installation as a whole.
 *
 * `installation`: its one row says which stored forms may be written. Null stands for the forms that release 0.1.0
 * reads. `npm run migrate -- --contract` sets it, as the owner; the application reads it.
 *
 * `installation_secrets`: keys that no environment names, sealed under the encryption key. The application makes each
 * once, and all processes use the one that is stored.
 *
 * `applied_migrations`: the names in schema_migrations, for the start check. Release 0.1.0 reads the table itself, and
 * a contract closes the table to the application's role. So 0.1.0 refuses to start on forms that it would misread.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE installation (
      id smallint PRIMARY KEY CHECK (id = 1),
      contracted_to text CHECK (contracted_to ~ '^\\d+\\.\\d+\\.\\d+$'),
      contracted_at timestamptz(3),
      CHECK ((contracted_to IS NULL) = (contracted_at IS NULL))
    );
    INSERT INTO installation (id) VALUES (1);

    CREATE TABLE installation_secrets (
      name text PRIMARY KEY,
      sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now()
    );

    CREATE VIEW applied_migrations AS SELECT name FROM schema_migrations;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP VIEW applied_migrations; DROP TABLE installation_secrets, installation');
}
