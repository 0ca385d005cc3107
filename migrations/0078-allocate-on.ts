/** By what customers are credited: a notification of the bank or the line of its statement. Accounts that are there stay as they were. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE bank_accounts
      ADD COLUMN allocate_on text NOT NULL DEFAULT 'notification',
      ADD CONSTRAINT bank_accounts_allocate_on CHECK (allocate_on IN ('statement', 'notification')) NOT VALID;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE bank_accounts DROP CONSTRAINT bank_accounts_allocate_on, DROP COLUMN allocate_on');
}
