/**
 * Without this index, `?status=` of accounts reads the whole book. An open account has no entry in the index: postings
 * update open accounts all the time, and would have to update their index entries whenever the page has no room. Lists
 * of open accounts walk the key of account_profiles, 2,000 accounts a page (src/db/walk.ts).
 *
 * Built beside the running product, without a lock that keeps writers waiting. An interrupted build leaves an invalid
 * index, which the next run drops and builds again.
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
