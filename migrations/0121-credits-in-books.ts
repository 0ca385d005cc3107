/**
 * Credits that are in books, by bank account and amount: whether one that the bank reports under its reference was given away before, when it was
 * reported without one.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX inbound_credits_in_books ON inbound_credits (book_id, bank_account, amount, created_at)
      WHERE status IN ('allocated', 'posted', 'given')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX inbound_credits_in_books');
}
