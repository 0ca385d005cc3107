/**
 * The bytes of files from outside are sealed. Each file has a key of its own, sealed as other secrets are (`intake_files.key_sealed`), and
 * its pieces stand in `intake_file_parts`. 0.3.0 writes plain bytes (`intake_files.bytes`) and may run beside this release, so the column stays
 * until a later one drops it. This changes the catalogue alone.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE intake_files ADD COLUMN key_sealed bytea');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE intake_files DROP COLUMN key_sealed');
}
