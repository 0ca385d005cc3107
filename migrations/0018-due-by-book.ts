/**
 * Indexes of due rows by book: the sweeper takes books in turn, so that a hundred thousand due rows of one book hide
 * none of another's. The indexes over all books (payouts_due, webhook_deliveries_due) stay: they answer when little is
 * due, and the release before reads by them.
 *
 * Built beside the running product, without a lock that keeps writers waiting. An interrupted build leaves an invalid
 * index, which the next run drops and builds again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const INDEXES = [
  { name: 'payouts_due_by_book', on: 'payouts (status, book_id, due_at)' },
  { name: 'webhook_deliveries_due_by_book', on: 'webhook_deliveries (status, book_id, due_at)' },
];

export async function up(knex: Knex): Promise<void> {
  for (const { name, on } of INDEXES) {
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on} WHERE due_at IS NOT NULL AND stuck_at IS NULL`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const { name } of INDEXES) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
