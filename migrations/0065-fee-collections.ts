/**
 * Fees that are collected, acquirers' reports that are posted in the operator's book, and the opening of bank accounts. The constants that rows get
 * cost no rewrite, and checks hold for what is written from now on.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE fee_days (
      book_id uuid NOT NULL,
      -- Of the book's account of fees that are due to the operator.
      id uuid NOT NULL,
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('open')),
      collects_at timestamptz(3) NOT NULL,
      -- The last day whose fees are collected.
      collected_on text,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    ) WITH (fillfactor = 80);
    CREATE INDEX fee_days_appointments ON fee_days (book_id, collects_at, id)
      WHERE status = 'open' AND collects_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX fee_days_due ON fee_days (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX fee_days_due_by_book ON fee_days (status, book_id, due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX fee_days_stuck ON fee_days (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE fee_collections (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      day text NOT NULL,
      currency text NOT NULL,
      -- What left the account of fees; negative where the operator gave back more than it took.
      amount bigint NOT NULL CHECK (amount <> 0),
      -- Contained in the amount, with its sign.
      tax bigint NOT NULL,
      tax_basis_points integer NOT NULL CHECK (tax_basis_points BETWEEN 0 AND 10000),
      entry_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (CASE WHEN amount > 0 THEN tax BETWEEN 0 AND amount ELSE tax BETWEEN amount AND 0 END)
    );
    CREATE UNIQUE INDEX fee_collections_by_day ON fee_collections (book_id, day, currency) WHERE day IS NOT NULL;

    ALTER TABLE acquirer_reports
      ADD COLUMN status text NOT NULL DEFAULT 'received',
      ADD COLUMN totals jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN entry_ids jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now(),
      ADD CONSTRAINT acquirer_reports_status CHECK (status IN ('received', 'posted')) NOT VALID;

    ALTER TABLE bank_accounts
      ADD COLUMN outstanding jsonb NOT NULL DEFAULT '[]',
      -- Of those that are ids of ours.
      ADD COLUMN outstanding_ids jsonb NOT NULL DEFAULT '[]';

    -- Which bank account's opening closes what a party had under way: the first that names it.
    CREATE TABLE party_cut_overs (
      book_id uuid NOT NULL,
      -- Currency and party.
      id text NOT NULL,
      currency text NOT NULL,
      -- Null: whoever pays in.
      party text,
      bank_account_id uuid NOT NULL,
      opening_on text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE party_cut_overs;
    ALTER TABLE bank_accounts DROP COLUMN outstanding, DROP COLUMN outstanding_ids;
    ALTER TABLE acquirer_reports DROP CONSTRAINT acquirer_reports_status, DROP COLUMN status, DROP COLUMN totals,
      DROP COLUMN entry_ids, DROP COLUMN version, DROP COLUMN updated_at;
    DROP TABLE fee_collections;
    DROP TABLE fee_days;
  `);
}
