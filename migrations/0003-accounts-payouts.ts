/**
 * The API's accounts and payouts beyond the ledger: names, references, states, and the rail's answers. `due_at` says
 * when the sweeper enqueues the row if no worker has moved it before. Every transition sets or clears it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE account_profiles (
      book_id uuid NOT NULL,
      account_id uuid NOT NULL,
      currency text NOT NULL,
      name text NOT NULL,
      external_id text,
      metadata jsonb NOT NULL DEFAULT '{}',
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, account_id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id)
    );
    CREATE INDEX account_profiles_by_currency ON account_profiles (book_id, currency, account_id);
    CREATE INDEX account_profiles_by_external_id ON account_profiles (book_id, external_id, account_id) WHERE external_id IS NOT NULL;

    -- The account a payout leaves when it names none: the first one opened in the currency.
    CREATE TABLE default_accounts (
      book_id uuid NOT NULL,
      currency text NOT NULL,
      account_id uuid NOT NULL,
      PRIMARY KEY (book_id, currency),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id)
    );

    CREATE TABLE inbound_transfers (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      account_id uuid NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      description text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id)
    );

    CREATE TABLE payouts (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'processing', 'paid', 'failed', 'canceled', 'returned')),
      account_id uuid NOT NULL,
      hold_id uuid NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      fee bigint NOT NULL CHECK (fee >= 0),
      amount_returned bigint NOT NULL DEFAULT 0 CHECK (amount_returned >= 0 AND amount_returned <= amount),
      returns smallint NOT NULL DEFAULT 0 CHECK (returns >= 0),
      currency text NOT NULL,
      rail text NOT NULL,
      destination_type text NOT NULL,
      destination_account_id uuid,
      destination_sealed bytea,
      destination_masked text,
      destination_provider text,
      description text,
      external_id text,
      metadata jsonb NOT NULL DEFAULT '{}',
      end_to_end_id text NOT NULL,
      outcome text CHECK (outcome IN ('unknown')),
      inquiries smallint NOT NULL DEFAULT 0,
      next_inquiry_at timestamptz(3),
      sent_at timestamptz(3),
      failure_code text,
      rail_code text,
      rail_reference text,
      entry_ids jsonb NOT NULL DEFAULT '[]',
      request_id uuid NOT NULL,
      version integer NOT NULL DEFAULT 1,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      UNIQUE (book_id, end_to_end_id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id),
      FOREIGN KEY (book_id, hold_id) REFERENCES holds (book_id, id)
    ) WITH (fillfactor = 60);
    CREATE INDEX payouts_by_status ON payouts (book_id, status, id);
    -- What keeps an account from being closed.
    CREATE INDEX payouts_in_flight ON payouts (book_id, account_id, id) WHERE status IN ('pending', 'processing');
    CREATE INDEX payouts_by_external_id ON payouts (book_id, external_id, id) WHERE external_id IS NOT NULL;
    CREATE INDEX payouts_due ON payouts (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payouts_unknown ON payouts (rail) WHERE outcome = 'unknown';
    CREATE INDEX payouts_stuck ON payouts (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE payout_returns (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      payout_id uuid NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      reason text,
      entry_id uuid NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, payout_id) REFERENCES payouts (book_id, id)
    );
    CREATE INDEX payout_returns_by_payout ON payout_returns (book_id, payout_id, id);

    -- Every answer of a rail as it came, append-only: the evidence.
    CREATE TABLE rail_answers (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      payout_id uuid NOT NULL,
      call text NOT NULL CHECK (call IN ('submit', 'inquire', 'notice')),
      answer jsonb NOT NULL,
      received_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, payout_id) REFERENCES payouts (book_id, id)
    );
    CREATE INDEX rail_answers_by_payout ON rail_answers (book_id, payout_id, id);

    -- What a person must look at: a rail that contradicted itself.
    CREATE TABLE exceptions (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      kind text NOT NULL,
      resource text NOT NULL,
      resource_id uuid NOT NULL,
      detail text NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'resolved')),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
    CREATE INDEX exceptions_by_resource ON exceptions (book_id, resource_id);
    CREATE INDEX exceptions_open ON exceptions (created_at) WHERE status = 'open';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP TABLE exceptions, rail_answers, payout_returns, payouts, inbound_transfers, default_accounts, account_profiles',
  );
}
