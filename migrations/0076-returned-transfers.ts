/** The entry by which a transfer that arrived was taken back. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE inbound_transfers ADD COLUMN return_entry_id uuid');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE inbound_transfers DROP COLUMN return_entry_id');
}
