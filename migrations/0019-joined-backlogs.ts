/**
 * What falls due by itself while its endpoint is behind joins what waits (src/operations/due-store.ts). Whoever drains the
 * endpoint may be past that event already, and must be told to go back: `waiting_from` alone does not tell, since it is
 * written down seldom and may still be lower.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // The first event whose delivery joined since who drains last looked.
  await knex.raw('ALTER TABLE webhook_endpoints ADD COLUMN joined_from bigint');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE webhook_endpoints DROP COLUMN joined_from');
}
