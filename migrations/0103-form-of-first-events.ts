/**
 * The form of the event that later ones of a payout take from. 0.3.0 writes form 1 and does not say so: a later event in form 2 took
 * from it and could not be read. Such payouts have null here, and their later events are whole.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payouts ADD COLUMN first_form smallint');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payouts DROP COLUMN first_form');
}
