/**
 * Lists of refunds, releases and settlements by account and time: whoever asks for them must not read those of the whole book
 * (docs/decisions/bounded-lists.md). Partial, so that nothing else is read by them (0006). Built beside the running product; an
 * interrupted build leaves an invalid index, which the next run drops and builds again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const INDEXES = {
  payment_refunds_by_account: "payment_operations (book_id, account_id, id) WHERE kind = 'refund'",
  payment_refunds_by_created: "payment_operations (book_id, created_at, id) WHERE kind = 'refund'",
  payment_releases_by_created: 'payment_releases (book_id, created_at, id) WHERE created_at IS NOT NULL',
  settlements_by_created: 'settlements (book_id, created_at, id) WHERE created_at IS NOT NULL',
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(INDEXES)) {
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX ${name}`);
}
