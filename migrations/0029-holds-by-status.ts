/**
 * The holds of an account by status: whoever asks for the open ones must not read the history of those that have ended. Built
 * beside the running product; an interrupted build leaves an invalid index, which the next run drops and builds again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS account_holds_by_status');
  await knex.raw(
    'CREATE INDEX CONCURRENTLY account_holds_by_status ON account_holds (book_id, account_id, status, id) WHERE status IS NOT NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX account_holds_by_status');
}
