/**
 * The payout batch of an instruction, so that its payments stand together in a bank's file (one PmtInf). Nothing looks instructions up by it,
 * and nothing that waits is of a batch.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE bank_instructions ADD COLUMN batch_id uuid');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE bank_instructions DROP COLUMN batch_id');
}
