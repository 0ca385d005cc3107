/**
 * The iso20022 rail's own records, in a book of the operator's: what was submitted, the files that carry it, what banks report in theirs. They
 * are written by the rail's transactions, never by a book's commands, since a file has up to 10,000 payments of many books. Every table is new.
 *
 * `bank_instructions` is keyed by the end-to-end id, which is derived from book and Idempotency-Key: no id is ever in two files, whatever
 * rail it was submitted to. Files and payees are sealed, since they name people.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- One a rail. Its lock is that of who makes a file.
    CREATE TABLE bank_rails (
      book_id uuid NOT NULL,
      rail text NOT NULL,
      paused_at timestamptz(3),
      paused_kind text CHECK (paused_kind IN ('file_unknown', 'file_missing')),
      -- The file that nobody can explain.
      paused_file text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, rail),
      CHECK ((paused_at IS NULL) = (paused_kind IS NULL) AND (paused_at IS NULL) = (paused_file IS NULL))
    );

    CREATE TABLE bank_files (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      rail text NOT NULL,
      name text NOT NULL,
      message_id text NOT NULL,
      -- Its bytes, sealed: they name payees. Null once it is published: sent/ has them.
      content_sealed bytea,
      sha256 bytea NOT NULL,
      payments integer NOT NULL CHECK (payments > 0),
      status text NOT NULL CHECK (status IN ('made', 'staged', 'published')),
      -- The attempt whose copy in the staging folder is published.
      attempt text,
      created_at timestamptz(3) NOT NULL,
      staged_at timestamptz(3),
      published_at timestamptz(3),
      PRIMARY KEY (book_id, id),
      CHECK ((status = 'made') = (attempt IS NULL) AND (status = 'published') = (published_at IS NOT NULL)),
      CHECK ((status = 'published') = (content_sealed IS NULL))
    );
    CREATE UNIQUE INDEX bank_files_by_name ON bank_files (book_id, rail, name) WHERE name IS NOT NULL;
    CREATE UNIQUE INDEX bank_files_by_message ON bank_files (book_id, rail, message_id) WHERE message_id IS NOT NULL;
    CREATE INDEX bank_files_open ON bank_files (book_id, rail, id) WHERE status <> 'published';

    CREATE TABLE bank_instructions (
      book_id uuid NOT NULL,
      end_to_end_id text NOT NULL,
      rail text NOT NULL,
      -- The book whose payout it is; null while it is known of a file in sent/ alone.
      originator uuid,
      -- InstrId.
      reference text NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      -- Null once it is in a file.
      payee_sealed bytea,
      status text NOT NULL CHECK (status IN ('waiting', 'filed', 'paid', 'rejected')),
      code text,
      file_id uuid,
      -- Counts from 1 in its file.
      line integer CHECK (line > 0),
      payment_information_id text,
      execution_day text,
      -- From then on, the bank's silence is reported.
      silent_at timestamptz(3),
      -- When money came back that the bank has not debited.
      returned_at timestamptz(3),
      submitted_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, end_to_end_id),
      FOREIGN KEY (book_id, file_id) REFERENCES bank_files (book_id, id),
      CHECK ((file_id IS NULL) = (line IS NULL) AND (status <> 'waiting' OR file_id IS NULL)),
      CHECK (status = 'waiting' OR file_id IS NOT NULL)
    );
    CREATE UNIQUE INDEX bank_instructions_by_reference ON bank_instructions (book_id, reference) WHERE reference IS NOT NULL;
    CREATE INDEX bank_instructions_waiting ON bank_instructions (book_id, rail, submitted_at) WHERE status = 'waiting';
    CREATE UNIQUE INDEX bank_instructions_in_file ON bank_instructions (book_id, file_id, line) WHERE file_id IS NOT NULL;

    -- Reports of lines about instructions, until the inbox has them.
    CREATE TABLE bank_notices (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      rail text NOT NULL,
      -- Derived from the bank's own reference, else from file and place: reported twice, it is kept once.
      line_id uuid NOT NULL,
      -- Null while nobody has submitted the instruction again since it was read from sent/.
      originator uuid,
      end_to_end_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('paid', 'rejected', 'returned', 'foreign')),
      amount bigint CHECK (amount > 0),
      code text,
      reference text NOT NULL,
      confirmed_amount bigint CHECK (confirmed_amount > 0),
      confirmed_currency text,
      -- The bank's file, and the place in it.
      sha256 bytea NOT NULL,
      place integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      acknowledged_at timestamptz(3),
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, sha256) REFERENCES intake_files (book_id, sha256),
      CHECK ((kind = 'returned') = (amount IS NOT NULL))
    );
    CREATE UNIQUE INDEX bank_notices_by_line ON bank_notices (book_id, line_id) WHERE line_id IS NOT NULL;
    CREATE INDEX bank_notices_open ON bank_notices (book_id, rail, id)
      WHERE acknowledged_at IS NULL AND (originator IS NOT NULL OR kind = 'foreign');
    CREATE INDEX bank_notices_unclaimed ON bank_notices (book_id, end_to_end_id) WHERE originator IS NULL AND kind <> 'foreign';

    -- Files of banks, by their bytes: taken, or not understood.
    CREATE TABLE bank_inbox_files (
      book_id uuid NOT NULL,
      sha256 bytea NOT NULL,
      rail text NOT NULL,
      name text NOT NULL,
      status text NOT NULL CHECK (status IN ('taken', 'quarantined')),
      kind text,
      lines integer,
      reason text,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, sha256),
      CHECK ((status = 'taken') = (kind IS NOT NULL AND lines IS NOT NULL) AND (status = 'quarantined') = (reason IS NOT NULL))
    );

    -- Exceptions of the operator's that the rail has found: opened by a command once the rows that they are about are there.
    CREATE TABLE bank_findings (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      rail text NOT NULL,
      kind text NOT NULL,
      -- Of the file, ours or the bank's.
      file_id uuid NOT NULL,
      detail text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      opened_at timestamptz(3),
      PRIMARY KEY (book_id, id)
    );
    CREATE INDEX bank_findings_open ON bank_findings (book_id, rail, id) WHERE opened_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bank_findings, bank_inbox_files, bank_notices, bank_instructions, bank_files, bank_rails');
}
