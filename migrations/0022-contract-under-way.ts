/**
 * A contract watches connections for a while before the new stored forms may be written. A process of the earlier release
 * that started in that time was connected too late to be seen. So the row names the new release from the start, which
 * keeps earlier ones from starting (they read `contracted_to` at their start), and says apart that it is not done.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE installation
      ADD COLUMN contract_done boolean NOT NULL DEFAULT true,
      -- What the installation was contracted to before the contract that is under way.
      ADD COLUMN contracted_from text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE installation DROP COLUMN contract_done, DROP COLUMN contracted_from');
}
