/**
 * The inbox of notices that rails send of their own accord. A notice is copied here before anything is made of it. So a
 * notice that cannot be booked waits in a row of its own: due, with attempts, and without delaying other work.
 *
 * `due_at` says when the sweeper enqueues the next attempt if no worker has made it before; every change sets or clears
 * it. The index by book lets the sweeper step from one book to the next, however many rows one of them has.
 * `foreign_notices` keeps notices about books that are not of this installation.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE rail_notices (
      book_id uuid NOT NULL,
      rail text NOT NULL,
      -- The rail's own.
      id uuid NOT NULL,
      end_to_end_id text NOT NULL,
      kind text NOT NULL,
      amount bigint,
      code text,
      reference text NOT NULL,
      -- What the rail says it has moved, where it says so; the payee's digest is sealed.
      confirmed_amount bigint,
      confirmed_currency text,
      confirmed_payee_sealed bytea,
      -- As it came, but for what could name a person.
      notice jsonb NOT NULL,
      status text NOT NULL CHECK (status IN ('waiting', 'taken', 'exception')),
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz(3),
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      told_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, rail, id)
    ) WITH (fillfactor = 70);
    CREATE INDEX rail_notices_due ON rail_notices (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX rail_notices_due_by_book ON rail_notices (book_id, due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX rail_notices_by_payout ON rail_notices (book_id, rail, end_to_end_id, told_at, id) WHERE status = 'waiting';
    CREATE INDEX rail_notices_stuck ON rail_notices (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE foreign_notices (
      rail text NOT NULL,
      id uuid NOT NULL,
      originator text NOT NULL,
      notice jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (rail, id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE foreign_notices, rail_notices');
}
