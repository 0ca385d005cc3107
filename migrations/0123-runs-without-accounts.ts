/** Runs that have found no bank account for a statement: the sweeper takes them up once it is made. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `CREATE INDEX reconciliations_without_account ON reconciliations (book_id, id)
      WHERE status = 'completed' AND findings @> '[{"code": "bank_account_unknown"}]'`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX reconciliations_without_account');
}
