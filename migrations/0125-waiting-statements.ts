/**
 * Held statements by the account that they name and no bank account has: each round of the sweeper looks up the names that bank accounts have, and
 * passes over all others. The runs that it read before were as many as name accounts that nobody makes. And how often something of a bank account was
 * left open anew: a closing that has counted before counts again.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(String.raw`
    CREATE INDEX bank_statements_without_account ON bank_statements
      (book_id, (upper(regexp_replace(account, '\s+', '', 'g'))), kind, id)
      WHERE status = 'held' AND NOT released AND bank_account_id IS NULL;
    DROP INDEX reconciliations_without_account;
    ALTER TABLE bank_accounts ADD COLUMN reopened integer NOT NULL DEFAULT 0;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX reconciliations_without_account ON reconciliations (book_id, id)
      WHERE status = 'completed' AND findings @> '[{"code": "bank_account_unknown"}]';
    DROP INDEX bank_statements_without_account;
    ALTER TABLE bank_accounts DROP COLUMN reopened;
  `);
}
