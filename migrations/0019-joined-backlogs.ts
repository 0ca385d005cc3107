/**
 * A delivery that falls due by itself while its endpoint is behind joins the endpoint's backlog
 * (src/operations/due-store.ts). The process that drains the endpoint may be past that event already, and must be told
 * to go back. `waiting_from` alone does not tell: it is written seldom, and may still be lower.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // The first event whose delivery joined since the draining process last looked.
  await knex.raw('ALTER TABLE webhook_endpoints ADD COLUMN joined_from bigint');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE webhook_endpoints DROP COLUMN joined_from');
}
