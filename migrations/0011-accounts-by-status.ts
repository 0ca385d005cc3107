/**
 * `?status=` of accounts read the whole book. An account that is open has no entry in the index: postings update open accounts
 * all the time, and an index that they are in would have to be kept whenever such an update finds no room in its page. Lists of
 * open accounts walk the key of account_profiles, 2,000 accounts a page (src/db/walk.ts).
 *
 * Made beside the running product, without a lock that keeps writers waiting. One that was interrupted is left behind
 * invalid, and is dropped and made again by the next run.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS accounts_by_status');
  await knex.raw(
    `CREATE INDEX CONCURRENTLY accounts_by_status ON accounts (book_id, status, id) WHERE status <> 'open'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS accounts_by_status');
}
