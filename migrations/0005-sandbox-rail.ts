/**
 * The sandbox rail's own records. The rail plays the outside world: its tables are not keyed by book or joined with
 * ours, and are reached over connections of their own. The rail keeps no alias: an alias decides the outcome when an
 * instruction arrives, and only the outcome is stored.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE SCHEMA sandbox_rail;

    -- One row for each instruction however often it was submitted: the pair is what the rail is idempotent by.
    CREATE TABLE sandbox_rail.instructions (
      originator text NOT NULL,
      end_to_end_id text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'paid', 'rejected')),
      code text,
      reference text NOT NULL,
      amount_returned bigint NOT NULL DEFAULT 0 CHECK (amount_returned >= 0 AND amount_returned <= amount),
      submissions integer NOT NULL CHECK (submissions > 0),
      received_at timestamptz(3) NOT NULL,
      PRIMARY KEY (originator, end_to_end_id)
    );

    -- What the rail tells of its own accord, until it is acknowledged.
    CREATE TABLE sandbox_rail.notices (
      id uuid PRIMARY KEY,
      originator text NOT NULL,
      end_to_end_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('paid', 'rejected', 'returned')),
      amount bigint CHECK (amount > 0),
      code text,
      reference text NOT NULL,
      acknowledged_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      CHECK ((kind = 'returned') = (amount IS NOT NULL))
    );
    CREATE INDEX notices_open ON sandbox_rail.notices (id) WHERE acknowledged_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP SCHEMA sandbox_rail CASCADE');
}
