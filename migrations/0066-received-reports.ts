/**
 * The sweeper finds reports that are not posted. There may be many: the index is built beside the running product, and an interrupted build leaves an
 * invalid index, which the next run drops.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS acquirer_reports_received');
  await knex.raw(
    "CREATE INDEX CONCURRENTLY acquirer_reports_received ON acquirer_reports (book_id, id) WHERE status = 'received'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS acquirer_reports_received');
}
