/**
 * What operators set of rails (docs/rails.md). The settings are of the installation, not of a book: a row for each file that a process
 * has read, by the digest of the file, which payouts name. The table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE rail_settings (
      digest bytea PRIMARY KEY CHECK (length(digest) = 32),
      content text NOT NULL,
      first_read_at timestamptz(3) NOT NULL
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE rail_settings');
}
