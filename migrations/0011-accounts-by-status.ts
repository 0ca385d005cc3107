/**
 * `?status=` of accounts read the whole book. An account that is open has no entry in the index: postings update open accounts
 * all the time, and an index that they are in would have to be kept whenever such an update finds no room in its page. Lists of
 * open accounts walk the key of account_profiles, 2,000 accounts a page (src/db/walk.ts).
 *
 * Writes to accounts wait while the index is made, which reads the table once. CONCURRENTLY would need a
 * migration outside a transaction, and one such migration takes the others of its run out of theirs: a process killed between
 * them would leave one that is done and not marked as done.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE INDEX accounts_by_status ON accounts (book_id, status, id) WHERE status <> 'open'`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX accounts_by_status');
}
