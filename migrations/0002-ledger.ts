/**
 * The ledger: accounts with their balances, the append-only journal, holds, events and idempotency keys.
 *
 * A posting moves one positive amount in one currency from one account to another, so no row can hold an unbalanced
 * entry. For each of its two accounts, a posting carries a gapless line number and the balance after it (in the
 * account's own direction). Indexes on the journal serve: the chain (sequence), an entry by id, the entries of a
 * resource (unique for each step, so that no step can be booked twice), and an account's lines on either side.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE accounts (
      book_id uuid NOT NULL REFERENCES books (id),
      id uuid NOT NULL,
      code text NOT NULL,
      side text NOT NULL CHECK (side IN ('debit', 'credit')),
      currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
      status text NOT NULL CHECK (status IN ('open', 'frozen', 'closed')),
      posted_debits bigint NOT NULL DEFAULT 0 CHECK (posted_debits >= 0),
      posted_credits bigint NOT NULL DEFAULT 0 CHECK (posted_credits >= 0),
      held_debits bigint NOT NULL DEFAULT 0 CHECK (held_debits >= 0),
      held_credits bigint NOT NULL DEFAULT 0 CHECK (held_credits >= 0),
      floor bigint,
      lines bigint NOT NULL DEFAULT 0 CHECK (lines >= 0),
      PRIMARY KEY (book_id, id)
    ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
    -- No posting changes these columns, so updates of balances stay HOT.
    CREATE INDEX accounts_by_code ON accounts (book_id, code, currency, id);

    CREATE TABLE entries (
      book_id uuid NOT NULL REFERENCES books (id),
      sequence bigint NOT NULL CHECK (sequence > 0),
      id uuid NOT NULL,
      resource text NOT NULL,
      resource_id uuid NOT NULL,
      step text NOT NULL,
      posted_at timestamptz(3) NOT NULL,
      effective_at timestamptz(3) NOT NULL,
      request_id uuid NOT NULL,
      floor_overridden boolean NOT NULL DEFAULT false,
      text_digest bytea CHECK (length(text_digest) = 32),
      hash bytea NOT NULL CHECK (length(hash) = 32),
      PRIMARY KEY (book_id, sequence),
      UNIQUE (book_id, id),
      UNIQUE (book_id, resource_id, step)
    );

    -- What the digest in the chain stands for. Kept apart so that personal text can be erased without breaking the chain.
    CREATE TABLE entry_texts (
      book_id uuid NOT NULL,
      entry_sequence bigint NOT NULL,
      salt bytea NOT NULL,
      description text NOT NULL,
      PRIMARY KEY (book_id, entry_sequence),
      FOREIGN KEY (book_id, entry_sequence) REFERENCES entries (book_id, sequence)
    );

    CREATE TABLE postings (
      book_id uuid NOT NULL,
      entry_sequence bigint NOT NULL,
      ordinal smallint NOT NULL CHECK (ordinal > 0),
      debit_account_id uuid NOT NULL,
      credit_account_id uuid NOT NULL CHECK (credit_account_id <> debit_account_id),
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      debit_line bigint NOT NULL CHECK (debit_line > 0),
      debit_balance_after bigint NOT NULL,
      credit_line bigint NOT NULL CHECK (credit_line > 0),
      credit_balance_after bigint NOT NULL,
      PRIMARY KEY (book_id, entry_sequence, ordinal),
      UNIQUE (book_id, debit_account_id, debit_line),
      UNIQUE (book_id, credit_account_id, credit_line),
      FOREIGN KEY (book_id, entry_sequence) REFERENCES entries (book_id, sequence),
      FOREIGN KEY (book_id, debit_account_id) REFERENCES accounts (book_id, id),
      FOREIGN KEY (book_id, credit_account_id) REFERENCES accounts (book_id, id)
    );

    CREATE TABLE holds (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      account_id uuid NOT NULL,
      resource text NOT NULL,
      resource_id uuid NOT NULL,
      currency text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      remaining bigint NOT NULL CHECK (remaining >= 0 AND remaining <= amount),
      status text NOT NULL CHECK (status IN ('open', 'captured', 'released', 'expired')),
      expires_at timestamptz(3),
      steps smallint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id)
    ) WITH (fillfactor = 70);
    CREATE INDEX holds_open_by_account ON holds (book_id, account_id, id) WHERE status = 'open';

    -- Every step of a hold, append-only: created, captured, released, expired.
    CREATE TABLE hold_steps (
      book_id uuid NOT NULL,
      hold_id uuid NOT NULL,
      ordinal smallint NOT NULL CHECK (ordinal > 0),
      kind text NOT NULL CHECK (kind IN ('created', 'captured', 'released', 'expired')),
      amount bigint NOT NULL CHECK (amount > 0),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, hold_id, ordinal),
      FOREIGN KEY (book_id, hold_id) REFERENCES holds (book_id, id)
    );

    CREATE TABLE events (
      book_id uuid NOT NULL REFERENCES books (id),
      sequence bigint NOT NULL CHECK (sequence > 0),
      id uuid NOT NULL,
      type text NOT NULL,
      object_id uuid NOT NULL,
      request_id uuid NOT NULL,
      actor text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      payload text NOT NULL,
      PRIMARY KEY (book_id, sequence),
      UNIQUE (book_id, id)
    ) WITH (toast_tuple_target = 8160);
    -- A payload with its postings is around 2 kB, where Postgres begins to compress: that cost more than the insert itself.
    ALTER TABLE events ALTER COLUMN payload SET STORAGE EXTERNAL;
    CREATE INDEX events_by_object ON events (book_id, object_id, sequence);

    -- One key, one answer. status and body are null for a tombstone (voided_at) and after the retention time (body only).
    CREATE TABLE idempotency_keys (
      book_id uuid NOT NULL REFERENCES books (id),
      key text NOT NULL,
      fingerprint bytea NOT NULL,
      status smallint,
      body text,
      resource text,
      resource_id uuid,
      request_id uuid NOT NULL,
      voided_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, key)
    );
    -- For dropping the bodies of old keys, oldest first.
    CREATE INDEX idempotency_keys_with_body ON idempotency_keys (created_at) WHERE body IS NOT NULL;

    CREATE TABLE metadata_index (
      book_id uuid NOT NULL,
      object text NOT NULL,
      key text NOT NULL,
      value text NOT NULL,
      object_id uuid NOT NULL,
      PRIMARY KEY (book_id, object, key, value, object_id)
    );

    CREATE FUNCTION refuse_journal_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'insufficient_privilege', HINT = 'Correct a booking with a further entry.';
    END $$;
    ${['entries', 'postings', 'hold_steps', 'events']
      .map(
        (table) => `
    CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION refuse_journal_change();
    CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change();`,
      )
      .join('\n')}
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE metadata_index, idempotency_keys, events, hold_steps, holds, postings, entry_texts, entries, accounts;
    DROP FUNCTION refuse_journal_change;
  `);
}
