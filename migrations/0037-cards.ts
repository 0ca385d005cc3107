/**
 * Cards: the cards of a book, what their processor was told of them (`card_operations`), the program, controls with the versions in force
 * of each subject, counters, tokens, and who had a card shown.
 *
 * No number, security code or PIN is in any of them. Cardholder and address are sealed. Amounts in JSON are text, since JSON has no bigint
 * that every reader keeps. Cards that replace one another are a line, named by its first card, which counts its cards and tokens: who has
 * read a line sees by that row whether the reading still holds.
 *
 * Nearly every authorization updates three counters or more: they have a low fillfactor and no index on a column that changes.
 *
 * Indexes are partial, so that an index lookup by key is left to the key (migration 0006). Every table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE cards (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      line_id uuid NOT NULL,
      line_cards integer NOT NULL CHECK (line_cards > 0),
      line_tokens integer NOT NULL CHECK (line_tokens >= 0),
      status text NOT NULL CHECK (status IN ('pending_activation', 'active', 'frozen', 'closed')),
      type text NOT NULL CHECK (type IN ('virtual', 'physical', 'single_use', 'merchant_locked')),
      account_id uuid NOT NULL,
      currency text NOT NULL,
      processor text NOT NULL,
      -- Null until the processor has issued it.
      card_reference text,
      last_four text CHECK (last_four ~ '^[0-9]{4}$'),
      network text,
      exp_month smallint CHECK (exp_month BETWEEN 1 AND 12),
      exp_year smallint,
      pin_status text NOT NULL CHECK (pin_status IN ('ok', 'blocked')),
      pin_failures smallint NOT NULL CHECK (pin_failures >= 0),
      shipping_status text CHECK (shipping_status IN ('ordered', 'shipped')),
      replacement_for uuid,
      replacement_reason text CHECK (replacement_reason IN ('lost', 'stolen', 'damaged', 'renewal')),
      replaced_by uuid,
      closed_reason text CHECK (closed_reason IN ('requested', 'lost', 'stolen', 'damaged', 'renewal', 'used', 'not_issued')),
      locked_to jsonb,
      cardholder_sealed bytea,
      cardholder_masked text,
      cardholder_reference text,
      shipping_sealed bytea,
      external_id text,
      metadata jsonb,
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id),
      FOREIGN KEY (book_id, line_id) REFERENCES cards (book_id, id),
      CHECK ((status = 'closed') = (closed_reason IS NOT NULL)),
      CHECK ((last_four IS NULL) = (card_reference IS NULL) AND (last_four IS NULL) = (exp_month IS NULL)
        AND (last_four IS NULL) = (exp_year IS NULL) AND (last_four IS NULL) = (network IS NULL))
    ) WITH (fillfactor = 70);
    CREATE INDEX cards_by_line ON cards (book_id, line_id, id) WHERE line_id IS NOT NULL;
    CREATE UNIQUE INDEX cards_by_reference ON cards (book_id, card_reference) WHERE card_reference IS NOT NULL;
    CREATE INDEX cards_by_account ON cards (book_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX cards_by_status ON cards (book_id, status, id) WHERE status IS NOT NULL;
    CREATE INDEX cards_by_external_id ON cards (book_id, external_id, id) WHERE external_id IS NOT NULL;
    CREATE INDEX cards_by_created ON cards (book_id, created_at, id) WHERE created_at IS NOT NULL;
    CREATE INDEX cards_open ON cards (book_id, account_id, id) WHERE status <> 'closed';

    CREATE TABLE card_operations (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      card_id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('issue', 'replace', 'state', 'unblock_pin')),
      status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
      processor text NOT NULL,
      reference text NOT NULL,
      state text CHECK (state IN ('pending_activation', 'active', 'frozen', 'closed')),
      state_version integer,
      closed_reason text,
      outcome text CHECK (outcome = 'unknown'),
      inquiries smallint NOT NULL,
      next_inquiry_at timestamptz(3),
      sent_at timestamptz(3) NOT NULL,
      failure_code text,
      processor_reference text,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, card_id) REFERENCES cards (book_id, id)
    );
    CREATE UNIQUE INDEX card_operations_by_reference ON card_operations (book_id, reference) WHERE reference IS NOT NULL;
    CREATE INDEX card_operations_by_card ON card_operations (book_id, card_id, id) WHERE card_id IS NOT NULL;
    CREATE INDEX card_operations_due ON card_operations (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX card_operations_due_by_book ON card_operations (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX card_operations_stuck ON card_operations (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE card_programs (
      book_id uuid NOT NULL,
      -- The book: it has one program.
      id uuid NOT NULL CHECK (id = book_id),
      currencies jsonb,
      time_zone text,
      is_time_zone_fixed boolean NOT NULL,
      decision_url text,
      decision_timeout_ms integer CHECK (decision_timeout_ms BETWEEN 200 AND 2000),
      decision_default text CHECK (decision_default IN ('approve', 'decline')),
      tolerances jsonb NOT NULL,
      expiry_days jsonb NOT NULL,
      fuel jsonb NOT NULL,
      fees jsonb NOT NULL,
      secret_sealed bytea,
      previous_secret_sealed bytea,
      previous_secret_until timestamptz(3),
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (NOT is_time_zone_fixed OR time_zone IS NOT NULL)
    );

    CREATE TABLE card_controls (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      scope text NOT NULL CHECK (scope IN ('card', 'account', 'program')),
      -- The line of a card, an account, or the book.
      subject_id uuid NOT NULL,
      card_id uuid,
      account_id uuid,
      ordinal integer NOT NULL CHECK (ordinal > 0),
      status text NOT NULL CHECK (status IN ('draft', 'shadow', 'active', 'retired')),
      content jsonb NOT NULL,
      counted_since timestamptz(3),
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, card_id) REFERENCES cards (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id),
      CHECK ((scope = 'card') = (card_id IS NOT NULL) AND (scope = 'account') = (account_id IS NOT NULL))
    );
    CREATE INDEX card_controls_by_subject_id ON card_controls (book_id, subject_id, id) WHERE subject_id IS NOT NULL;
    CREATE INDEX card_controls_by_created ON card_controls (book_id, created_at, id) WHERE created_at IS NOT NULL;

    CREATE TABLE card_controls_in_force (
      book_id uuid NOT NULL,
      subject_id uuid NOT NULL,
      scope text NOT NULL CHECK (scope IN ('card', 'account', 'program')),
      versions integer NOT NULL CHECK (versions > 0),
      active jsonb,
      shadow jsonb,
      PRIMARY KEY (book_id, subject_id)
    );

    CREATE TABLE card_counters (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      subject_id uuid NOT NULL,
      -- Of a limit with a filter.
      controls_id uuid,
      place smallint,
      currency text NOT NULL,
      -- First days of windows: YYYY-MM-DD.
      day text NOT NULL,
      day_amount bigint NOT NULL CHECK (day_amount >= 0),
      day_count bigint NOT NULL CHECK (day_count >= 0),
      week text NOT NULL,
      week_amount bigint NOT NULL CHECK (week_amount >= 0),
      week_count bigint NOT NULL CHECK (week_count >= 0),
      month text NOT NULL,
      month_amount bigint NOT NULL CHECK (month_amount >= 0),
      month_count bigint NOT NULL CHECK (month_count >= 0),
      year text NOT NULL,
      year_amount bigint NOT NULL CHECK (year_amount >= 0),
      year_count bigint NOT NULL CHECK (year_count >= 0),
      all_amount bigint NOT NULL CHECK (all_amount >= 0),
      all_count bigint NOT NULL CHECK (all_count >= 0),
      refunded bigint NOT NULL CHECK (refunded >= 0),
      PRIMARY KEY (book_id, id),
      CHECK ((controls_id IS NULL) = (place IS NULL))
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

    CREATE TABLE card_tokens (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      line_id uuid NOT NULL,
      card_id uuid NOT NULL,
      account_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('requested', 'active', 'suspended', 'deactivated')),
      token_reference text NOT NULL,
      network text,
      wallet text NOT NULL CHECK (wallet IN ('apple_pay', 'google_pay', 'samsung_pay', 'merchant', 'other')),
      requestor_id text,
      last_four text CHECK (last_four ~ '^[0-9]{4}$'),
      device_type text,
      device_name text,
      device_id text,
      recommendation text CHECK (recommendation IN ('approve', 'verify', 'decline')),
      is_verifying boolean NOT NULL,
      deactivated_reason text CHECK (deactivated_reason IN ('declined', 'requested', 'card_closed')),
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, line_id) REFERENCES cards (book_id, id),
      FOREIGN KEY (book_id, card_id) REFERENCES cards (book_id, id),
      CHECK ((status = 'deactivated') = (deactivated_reason IS NOT NULL))
    );
    CREATE UNIQUE INDEX card_tokens_by_reference ON card_tokens (book_id, token_reference) WHERE token_reference IS NOT NULL;
    CREATE INDEX card_tokens_by_line_id ON card_tokens (book_id, line_id, id) WHERE line_id IS NOT NULL;

    CREATE TABLE card_detail_accesses (
      book_id uuid NOT NULL,
      -- That of the request.
      id uuid NOT NULL,
      card_id uuid NOT NULL,
      what text NOT NULL CHECK (what IN ('details', 'pin')),
      actor text NOT NULL,
      address text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, card_id) REFERENCES cards (book_id, id)
    );
    CREATE INDEX card_detail_accesses_by_card ON card_detail_accesses (book_id, card_id, id) WHERE card_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`DROP TABLE card_detail_accesses, card_tokens, card_counters, card_controls_in_force, card_controls,
    card_programs, card_operations, cards`);
}
