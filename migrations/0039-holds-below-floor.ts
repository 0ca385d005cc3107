/**
 * Steps of holds that go below an account's floor, as a card network decides them: the step says so, as an entry does. Release 0.2.0
 * writes steps without it, none of which goes there. The statement changes the catalog alone and can be run again.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE hold_steps ADD COLUMN IF NOT EXISTS floor_overridden boolean NOT NULL DEFAULT false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE hold_steps DROP COLUMN IF EXISTS floor_overridden');
}
