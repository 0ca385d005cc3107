/**
 * Every installation is contracted to a release: a new one to the release before this one, as one is that this release may migrate
 * (src/db/migrate.ts).
 *
 * A contract watches connections for a while before the new stored forms may be written. A process of the earlier release
 * that started in that time was connected too late to be seen. So the row names the new release from the start, which
 * keeps earlier ones from starting (they read `contracted_to` at their start), and says apart that it is not done.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE installation SET contracted_to = '0.2.0', contracted_at = clock_timestamp() WHERE contracted_to IS NULL;
    ALTER TABLE installation
      ALTER COLUMN contracted_to SET NOT NULL,
      ALTER COLUMN contracted_at SET NOT NULL,
      ADD COLUMN contract_done boolean NOT NULL DEFAULT true,
      -- What the installation was contracted to before the contract that is under way.
      ADD COLUMN contracted_from text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE installation
      ALTER COLUMN contracted_to DROP NOT NULL,
      ALTER COLUMN contracted_at DROP NOT NULL,
      DROP COLUMN contract_done,
      DROP COLUMN contracted_from`);
}
