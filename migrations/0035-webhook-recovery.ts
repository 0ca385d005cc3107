/**
 * Webhook endpoints: earlier secrets that still sign, and what a streak of failures consists of. Deliveries: how many
 * attempts a recovery brought forward, and an index of those that wait for their own retry.
 *
 * `earlier_secrets` holds the secrets before the previous one, newest first, each with its own end. The previous one stays
 * in its columns, where release 0.2.0 reads it. `failed_at` and `failed_other_at` are kept beside `failing_since`, by those
 * who deliver. Release 0.2.0 writes neither, so a streak that it began is counted anew.
 *
 * The index has only deliveries that failed and wait, so that a delivery that arrives at once costs nothing more. It is
 * built beside the running product; an interrupted build leaves an invalid index, which the next run drops.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE webhook_endpoints
    ADD COLUMN IF NOT EXISTS earlier_secrets jsonb,
    -- The last failure, at most an hour old, and its event.
    ADD COLUMN IF NOT EXISTS failed_at timestamptz(3),
    ADD COLUMN IF NOT EXISTS failed_event bigint,
    -- The last failure of another event.
    ADD COLUMN IF NOT EXISTS failed_other_at timestamptz(3)`);
  await knex.raw('ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS early_attempts smallint');
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_retried');
  await knex.raw(`CREATE INDEX CONCURRENTLY webhook_deliveries_retried ON webhook_deliveries (book_id, endpoint_id, retry_at, event_sequence)
    WHERE status = 'pending' AND attempts > 0 AND stuck_at IS NULL`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS webhook_deliveries_retried');
  await knex.raw('ALTER TABLE webhook_deliveries DROP COLUMN IF EXISTS early_attempts');
  await knex.raw(`ALTER TABLE webhook_endpoints DROP COLUMN IF EXISTS earlier_secrets, DROP COLUMN IF EXISTS failed_at,
    DROP COLUMN IF EXISTS failed_event, DROP COLUMN IF EXISTS failed_other_at`);
}
