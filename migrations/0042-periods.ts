/**
 * Periods: days of a book that people close, and open again. `books.closed_through` (0041) is the last day that is closed; a row says who
 * closed it, what was in by then, and what was found. Days are texts of the book's time zone: YYYY-MM-DD.
 *
 * A close lists what is open: unknown payouts and reports of acquirers that are not settled are counted by book. Both indexes are partial,
 * and of few rows.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const COUNTED = {
  payouts_unknown_by_book: "payouts (book_id) WHERE outcome = 'unknown'",
  settlements_received: "settlements (book_id) WHERE status = 'received'",
};

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE IF NOT EXISTS periods (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'closed', 'refused', 'reopened')),
      through_day text NOT NULL,
      closed_before text,
      since_sequence bigint NOT NULL,
      since_event bigint NOT NULL,
      through_sequence bigint NOT NULL CHECK (through_sequence >= since_sequence),
      through_event bigint NOT NULL CHECK (through_event >= since_event),
      chain_hash bytea NOT NULL,
      trial_balance_digest bytea,
      findings jsonb NOT NULL,
      findings_total integer NOT NULL,
      open_items jsonb NOT NULL,
      actor text NOT NULL,
      reason text,
      reopened_by text,
      reopening_reason text,
      reopened_at timestamptz(3),
      -- The last day that stayed closed.
      reopened_after text,
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK ((trial_balance_digest IS NOT NULL) = (status IN ('closed', 'reopened'))),
      CHECK ((reopened_by IS NOT NULL) = (status = 'reopened'))
    );
    -- One close at a time.
    CREATE UNIQUE INDEX IF NOT EXISTS periods_pending ON periods (book_id) WHERE status = 'pending';
    CREATE INDEX IF NOT EXISTS periods_closed ON periods (book_id, through_day, through_sequence) WHERE status = 'closed';
    CREATE INDEX IF NOT EXISTS periods_verified ON periods (book_id, through_sequence) WHERE status IN ('closed', 'reopened');
    CREATE INDEX IF NOT EXISTS periods_reopened ON periods (book_id, reopened_after) WHERE reopened_after IS NOT NULL;
    CREATE INDEX IF NOT EXISTS periods_due ON periods (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS periods_due_by_book ON periods (status, book_id, due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS periods_stuck ON periods (stuck_at) WHERE stuck_at IS NOT NULL;
  `);
  for (const [name, on] of Object.entries(COUNTED)) {
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(COUNTED)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await knex.raw('DROP TABLE IF EXISTS periods');
}
