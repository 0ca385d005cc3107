/**
 * Evidence of parties outside, keyed by the resource that it is about: not of payouts alone. `resource` and `resource_id` are
 * null in rows of release 0.2.0, and in this release's rows about payouts until `npm run migrate -- --contract`: those have
 * `payout_id`, which is null in all others. A row has one of the two.
 *
 * `call` is any call of any kind of party; it was one of a rail's three. The rules hold for new rows (NOT VALID); those that
 * exist keep them. So the table is locked for a moment, and not read.
 *
 * The index is built beside the running product, without a lock that keeps writers waiting. Each step can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE rail_answers
      ADD COLUMN IF NOT EXISTS resource text,
      ADD COLUMN IF NOT EXISTS resource_id uuid,
      ALTER COLUMN payout_id DROP NOT NULL,
      DROP CONSTRAINT IF EXISTS rail_answers_call_check,
      DROP CONSTRAINT IF EXISTS rail_answers_about_check,
      ADD CONSTRAINT rail_answers_call_check CHECK (call ~ '^[a-z_]{1,32}$') NOT VALID,
      ADD CONSTRAINT rail_answers_about_check CHECK (
        (payout_id IS NULL) = (resource_id IS NOT NULL) AND (resource IS NULL) = (resource_id IS NULL)
      ) NOT VALID`);
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS rail_answers_by_resource');
  await knex.raw(
    'CREATE INDEX CONCURRENTLY rail_answers_by_resource ON rail_answers (book_id, resource_id, id) WHERE resource_id IS NOT NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS rail_answers_by_resource');
  await knex.raw(`
    ALTER TABLE rail_answers
      DROP CONSTRAINT rail_answers_about_check,
      DROP CONSTRAINT rail_answers_call_check,
      ADD CONSTRAINT rail_answers_call_check CHECK (call IN ('submit', 'inquire', 'notice')) NOT VALID,
      ALTER COLUMN payout_id SET NOT NULL,
      DROP COLUMN resource,
      DROP COLUMN resource_id`);
}
