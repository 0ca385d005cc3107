/**
 * The payouts of an account: whoever asks for them must not read those of the whole book (docs/decisions/bounded-lists.md). Partial,
 * so that nothing else is read by it (0006). Built beside the running product; an interrupted build leaves an invalid index, which
 * the next run drops and builds again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payouts_by_account');
  await knex.raw(
    'CREATE INDEX CONCURRENTLY payouts_by_account ON payouts (book_id, account_id, id) WHERE account_id IS NOT NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX payouts_by_account');
}
