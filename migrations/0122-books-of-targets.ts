/**
 * The book of the account that a credit of a bank is to go to, where one person of the operator's has named both: who approves it sees them.
 * Null where the account is of the exception's own book.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE exceptions ADD COLUMN target_book_id uuid');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE exceptions DROP COLUMN target_book_id');
}
