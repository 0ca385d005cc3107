/**
 * The bytes of files from outside are sealed. Each file has a key of its own, sealed as other secrets are (`intake_files.key_sealed`), and
 * its pieces stand in `intake_file_parts`. The plain bytes go: no release has written any. Both change the catalogue alone.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE intake_files ADD COLUMN key_sealed bytea, DROP COLUMN bytes');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE intake_files DROP COLUMN key_sealed, ADD COLUMN bytes bytea');
}
