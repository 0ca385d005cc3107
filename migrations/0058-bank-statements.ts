/**
 * Bank accounts of the operator's, statements that banks send of them, and the lines of these. All stand in the operator's books. Every table is
 * new, so nothing waits. What commands change is narrow: a statement's progress, the balance that a bank account has reached, the entry of a
 * line.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bank_accounts (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      name text NOT NULL,
      currency text NOT NULL,
      identifiers jsonb NOT NULL,
      bic text,
      holds text NOT NULL CHECK (holds IN ('customer_money', 'own_money')),
      opening_on text NOT NULL,
      opening_amount bigint NOT NULL,
      books_from text NOT NULL CHECK (books_from IN ('statement', 'report')),
      reversal_indicator text NOT NULL CHECK (reversal_indicator IN ('entry', 'original')),
      status text NOT NULL CHECK (status IN ('open', 'closed')),
      ledger_account_id uuid NOT NULL,
      -- What posted statements come to.
      balance bigint NOT NULL,
      last_statement_id uuid,
      entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    ) WITH (fillfactor = 80);

    CREATE TABLE bank_account_identifiers (
      book_id uuid NOT NULL,
      identifier text NOT NULL,
      bank_account_id uuid NOT NULL,
      PRIMARY KEY (book_id, identifier),
      FOREIGN KEY (book_id, bank_account_id) REFERENCES bank_accounts (book_id, id)
    );

    CREATE TABLE reconciliations (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('running', 'completed')),
      sha256 bytea NOT NULL,
      name text NOT NULL,
      format text NOT NULL,
      file_bytes bigint NOT NULL,
      statements integer NOT NULL,
      known integer NOT NULL,
      lines integer NOT NULL,
      findings jsonb NOT NULL,
      findings_total integer NOT NULL,
      positions jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
    CREATE UNIQUE INDEX reconciliations_by_sha256 ON reconciliations (book_id, sha256) WHERE sha256 IS NOT NULL;

    CREATE TABLE bank_statements (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      reconciliation_id uuid NOT NULL,
      -- Null while no bank account has the identifier.
      bank_account_id uuid,
      account text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('statement', 'report', 'notification')),
      format text NOT NULL,
      place integer NOT NULL CHECK (place > 0),
      number text,
      page integer,
      is_first boolean NOT NULL,
      is_last boolean NOT NULL,
      currency text,
      from_on text,
      to_on text,
      opening bigint,
      closing bigint,
      credits_count integer NOT NULL,
      credits_sum bigint NOT NULL,
      debits_count integer NOT NULL,
      debits_sum bigint NOT NULL,
      -- Of the lines that are its own: to be posted, and posted by now.
      lines integer NOT NULL,
      booked_lines integer NOT NULL,
      booked_credits bigint NOT NULL,
      booked_debits bigint NOT NULL,
      status text NOT NULL CHECK (status IN ('received', 'posted', 'held', 'rejected', 'restated')),
      findings jsonb NOT NULL,
      released boolean NOT NULL,
      supersedes uuid,
      sha256 bytea NOT NULL,
      exception_id uuid,
      decision text CHECK (decision IN ('accept', 'reject')),
      reason text,
      text_salt bytea,
      decided_by text,
      approved_by text,
      first_entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, reconciliation_id) REFERENCES reconciliations (book_id, id),
      FOREIGN KEY (book_id, bank_account_id) REFERENCES bank_accounts (book_id, id),
      CHECK (booked_lines <= lines)
    ) WITH (fillfactor = 80);
    CREATE INDEX bank_statements_by_account ON bank_statements (book_id, bank_account_id, id) WHERE bank_account_id IS NOT NULL;
    CREATE INDEX bank_statements_by_number ON bank_statements (book_id, bank_account_id, number, id) WHERE number IS NOT NULL;
    CREATE INDEX bank_statements_by_day ON bank_statements (book_id, bank_account_id, to_on, id) WHERE to_on IS NOT NULL;
    CREATE INDEX bank_statements_open ON bank_statements (book_id, id) WHERE status = 'held' OR (status = 'received' AND released);
    CREATE INDEX bank_statements_released ON bank_statements (book_id, id) WHERE released AND status IN ('received', 'held');
    CREATE INDEX bank_statements_by_run ON bank_statements (book_id, reconciliation_id, id) WHERE reconciliation_id IS NOT NULL;

    CREATE TABLE bank_statement_identities (
      book_id uuid NOT NULL,
      -- SHA-256 over what makes it the same statement, in hexadecimal digits.
      identity text NOT NULL,
      statement_id uuid NOT NULL,
      PRIMARY KEY (book_id, identity),
      FOREIGN KEY (book_id, statement_id) REFERENCES bank_statements (book_id, id)
    );

    CREATE TABLE bank_lines (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      statement_id uuid NOT NULL,
      bank_account_id uuid NOT NULL,
      -- Counts from 1 in its statement; 0 is what two persons accepted beside its lines.
      place integer NOT NULL,
      -- Of the file.
      row_number integer NOT NULL,
      booked_on text NOT NULL,
      value_on text,
      amount bigint NOT NULL,
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'open')),
      bank_reference text,
      end_to_end_id text,
      refs jsonb NOT NULL,
      batch_id text,
      batch_transactions integer,
      counterparty_name text,
      counterparty_account text,
      text text,
      code text,
      charges jsonb NOT NULL,
      original jsonb,
      is_reversal boolean NOT NULL,
      -- What lines of one day and statement have in common that nothing tells apart.
      likeness bytea NOT NULL,
      entry_id uuid,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, statement_id) REFERENCES bank_statements (book_id, id)
    ) WITH (fillfactor = 80);
    CREATE INDEX bank_lines_by_statement ON bank_lines (book_id, statement_id, place) WHERE statement_id IS NOT NULL;
    CREATE INDEX bank_lines_of_statement ON bank_lines (book_id, statement_id, id) WHERE statement_id IS NOT NULL;
    CREATE INDEX bank_lines_by_account ON bank_lines (book_id, bank_account_id, id) WHERE bank_account_id IS NOT NULL;
    CREATE INDEX bank_lines_alike ON bank_lines (book_id, bank_account_id, likeness) WHERE likeness IS NOT NULL;
    CREATE INDEX bank_lines_by_reference ON bank_lines (book_id, bank_reference, id) WHERE bank_reference IS NOT NULL;
    CREATE INDEX bank_lines_by_end_to_end_id ON bank_lines (book_id, end_to_end_id, id) WHERE end_to_end_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'DROP TABLE bank_lines, bank_statement_identities, bank_statements, reconciliations, bank_account_identifiers, bank_accounts',
  );
}
