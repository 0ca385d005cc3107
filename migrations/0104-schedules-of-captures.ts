/**
 * The release schedule in force as a capture succeeded, in a few characters (src/calendar/schedule-text.ts): verify recomputes the days
 * and the reserve of its shares from it. Null: of a capture by 0.3.0, or of another operation, and nothing is recomputed.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payment_operations ADD COLUMN release_schedule text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payment_operations DROP COLUMN release_schedule');
}
