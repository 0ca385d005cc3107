/**
 * A new database begins as contracted to 0.3.0, as one is that 0.4.0 may migrate (src/db/migrate.ts). Databases that are contracted already stay as they are.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE installation SET contracted_to = '0.3.0', contracted_at = clock_timestamp()
     WHERE contracted_to = '0.2.0' AND contract_done`);
}

/** A contract is never taken back. */
export async function down(): Promise<void> {}
