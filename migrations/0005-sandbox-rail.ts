/**
 * The sandbox rail's own records. It plays the outside world: nothing here is keyed by book or joined with our tables,
 * and it is reached over a connection of its own.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE SCHEMA sandbox_rail;

    CREATE TABLE sandbox_rail.instructions (
      originator text NOT NULL,
      end_to_end_id text NOT NULL,
      alias text NOT NULL,
      amount bigint NOT NULL,
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'paid', 'rejected')),
      code text,
      reference text NOT NULL,
      submissions integer NOT NULL DEFAULT 1,
      received_at timestamptz(3) NOT NULL,
      PRIMARY KEY (originator, end_to_end_id)
    );

    -- What the rail tells of its own accord, until it is acknowledged.
    CREATE TABLE sandbox_rail.notices (
      id uuid PRIMARY KEY,
      originator text NOT NULL,
      end_to_end_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('paid', 'rejected', 'returned')),
      amount bigint,
      code text,
      acknowledged_at timestamptz(3),
      created_at timestamptz(3) NOT NULL
    );
    CREATE INDEX notices_open ON sandbox_rail.notices (id) WHERE acknowledged_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP SCHEMA sandbox_rail CASCADE');
}
