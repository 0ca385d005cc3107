/**
 * Which command stored an answer or notice: the ids of its events count up from the command's, so that a timeline shows what was said beside
 * the event that it made. Null where the answer has the command's own id, as answers to calls have, and for notices of 0.3.0.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE rail_answers ADD COLUMN command_id uuid');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE rail_answers DROP COLUMN command_id');
}
