/**
 * What payouts keep of the settings of rails, and what they have used of limits.
 *
 * `configuration` is the digest of the settings under which a payout was made; a payout made without any has none. `expected_arrival` is
 * null in payouts of earlier releases: it is their `created_at`. `counted_on` is the day on which a payout counts against limits, in the
 * time zone of its book, and null where nothing limits it.
 *
 * A counter has what payouts count in the current day and month of the book, by currency. Nearly every payout of a book with limits
 * updates one: it has a low fillfactor and no index on a column that changes.
 *
 * The index has only payouts that count: verify adds them up. It is built beside the running product; an interrupted build leaves an
 * invalid index, which the next run drops.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE payouts
    ADD COLUMN IF NOT EXISTS configuration bytea,
    ADD COLUMN IF NOT EXISTS expected_arrival timestamptz(3),
    ADD COLUMN IF NOT EXISTS counted_on text`);
  await knex.raw(`CREATE TABLE IF NOT EXISTS payout_counters (
    book_id uuid NOT NULL,
    id uuid NOT NULL,
    currency text NOT NULL,
    -- YYYY-MM-DD. The month is that of the day.
    day text NOT NULL,
    day_amount bigint NOT NULL CHECK (day_amount >= 0),
    month_amount bigint NOT NULL CHECK (month_amount >= day_amount),
    PRIMARY KEY (book_id, id)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`);
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payouts_counted');
  await knex.raw(
    'CREATE INDEX CONCURRENTLY payouts_counted ON payouts (book_id, currency, counted_on) WHERE counted_on IS NOT NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payouts_counted');
  await knex.raw('DROP TABLE IF EXISTS payout_counters');
  await knex.raw(`ALTER TABLE payouts DROP COLUMN IF EXISTS configuration, DROP COLUMN IF EXISTS expected_arrival,
    DROP COLUMN IF EXISTS counted_on`);
}
