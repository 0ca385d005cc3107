/** When an acquirer's report gave back a refund that had failed: its own report may have paid that refund before, or after it failed. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payment_operations ADD COLUMN failure_settled_at timestamptz(3)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payment_operations DROP COLUMN failure_settled_at');
}
