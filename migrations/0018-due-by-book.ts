/**
 * Rows that are due, by book: the sweeper takes books in turn, so that a hundred thousand due rows of one book hide none
 * of another's. The order over all books (payouts_due, webhook_deliveries_due) stays: it answers when little is due, and
 * the release before reads by it.
 *
 * Made beside the running product, without a lock that keeps writers waiting. One that was interrupted is left behind
 * invalid, and is dropped and made again by the next run.
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
