/**
 * Terms of an account: the available balance below which its holder is told, and statements that are made by themselves, each day or month. The amount
 * is in the hot row, since every posting and every hold reads it there; it is null where nobody asked. The columns change the catalog alone,
 * and the tables are new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE accounts ADD COLUMN IF NOT EXISTS alert_below bigint;
    ALTER TABLE account_profiles ADD COLUMN IF NOT EXISTS statement_schedule text;
    CREATE TABLE account_statements (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      account_id uuid NOT NULL,
      number bigint NOT NULL CHECK (number > 0),
      -- Days of the book: YYYY-MM-DD.
      from_day text NOT NULL,
      to_day text NOT NULL,
      currency text NOT NULL,
      opening bigint NOT NULL,
      credits_count bigint NOT NULL,
      credits_sum bigint NOT NULL,
      debits_count bigint NOT NULL,
      debits_sum bigint NOT NULL,
      closing bigint NOT NULL,
      after_line bigint NOT NULL,
      through_line bigint NOT NULL,
      digest bytea NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (from_day <= to_day),
      CHECK (through_line - after_line = credits_count + debits_count)
    );
    -- Numbers of an account have no gap. Partial, so that neither stands in for the primary key.
    CREATE UNIQUE INDEX account_statements_by_number ON account_statements (book_id, account_id, number) WHERE account_id IS NOT NULL;
    CREATE INDEX account_statements_by_account ON account_statements (book_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE TABLE statement_schedules (
      book_id uuid NOT NULL,
      account_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'paused')),
      schedule text NOT NULL CHECK (schedule IN ('daily', 'monthly')),
      -- Of the last statement; 0 before the first.
      number bigint NOT NULL,
      -- The days of the next one, and when they are over.
      from_day text NOT NULL,
      to_day text NOT NULL,
      ends_at timestamptz(3),
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, account_id),
      CHECK ((status = 'open') = (ends_at IS NOT NULL))
    ) WITH (fillfactor = 80);
    CREATE INDEX statement_schedules_due ON statement_schedules (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX statement_schedules_due_by_book ON statement_schedules (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX statement_schedules_stuck ON statement_schedules (stuck_at) WHERE stuck_at IS NOT NULL;
    CREATE INDEX statement_schedules_appointments ON statement_schedules (book_id, ends_at, account_id)
      WHERE status = 'open' AND ends_at IS NOT NULL AND stuck_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS statement_schedules; DROP TABLE IF EXISTS account_statements');
  await knex.raw('ALTER TABLE account_profiles DROP COLUMN IF EXISTS statement_schedule');
  await knex.raw('ALTER TABLE accounts DROP COLUMN IF EXISTS alert_below');
}
