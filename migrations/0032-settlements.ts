/**
 * Settlements: what acquirers paid. A report belongs to no book of a customer's, so its rows stand in a book of the operator's
 * (`intake_files`, `acquirer_reports` with parts and lines: they never change). Each part is one book's share of it in one
 * currency, booked there under the id that the part has from the start (`settlements` with lines).
 *
 * `acquirer_paydays`: when the sandbox acquirer pays by itself, in the book's own time. Every table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE intake_files (
      book_id uuid NOT NULL,
      sha256 bytea NOT NULL,
      kind text NOT NULL,
      name text NOT NULL,
      bytes bytea NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, sha256)
    );

    CREATE TABLE acquirer_reports (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      acquirer text NOT NULL,
      sha256 bytea NOT NULL,
      lines integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, sha256) REFERENCES intake_files (book_id, sha256)
    );

    CREATE UNIQUE INDEX acquirer_reports_by_sha256 ON acquirer_reports (book_id, sha256) WHERE sha256 IS NOT NULL;

    CREATE TABLE acquirer_report_parts (
      book_id uuid NOT NULL,
      -- The settlement of the book that it is booked as.
      id uuid NOT NULL,
      report_id uuid NOT NULL,
      of_book uuid NOT NULL,
      currency text NOT NULL,
      lines integer NOT NULL,
      gross bigint NOT NULL,
      cost bigint NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, report_id) REFERENCES acquirer_reports (book_id, id)
    );
    CREATE INDEX acquirer_report_parts_by_report ON acquirer_report_parts (book_id, report_id, id) WHERE report_id IS NOT NULL;

    CREATE TABLE acquirer_report_lines (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      part_id uuid NOT NULL,
      -- Counts from 1 in its part.
      place integer NOT NULL,
      -- Of the file.
      row_number integer NOT NULL,
      acquirer text NOT NULL,
      merchant text NOT NULL,
      line_id text NOT NULL,
      type text NOT NULL,
      reference text NOT NULL,
      currency text NOT NULL,
      gross bigint NOT NULL,
      cost bigint NOT NULL,
      net bigint NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, part_id) REFERENCES acquirer_report_parts (book_id, id),
      CHECK (net = gross - cost)
    );
    CREATE UNIQUE INDEX acquirer_report_lines_by_line_id ON acquirer_report_lines (book_id, acquirer, line_id)
      WHERE line_id IS NOT NULL;
    CREATE INDEX acquirer_report_lines_by_part ON acquirer_report_lines (book_id, part_id, place) WHERE part_id IS NOT NULL;

    CREATE TABLE settlements (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      acquirer text NOT NULL,
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('received', 'completed')),
      -- What the report has for the book, and how far it has been taken in.
      lines integer NOT NULL,
      reported bigint NOT NULL,
      taken integer NOT NULL,
      -- Of what was taken: booked, and left to a person.
      amount bigint NOT NULL,
      exceptions integer NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (taken <= lines AND exceptions <= taken)
    );

    CREATE INDEX settlements_by_created ON settlements (book_id, created_at, id) WHERE created_at IS NOT NULL;

    CREATE TABLE settlement_lines (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      settlement_id uuid NOT NULL,
      line_id text NOT NULL,
      type text NOT NULL,
      reference text NOT NULL,
      currency text NOT NULL,
      amount bigint NOT NULL,
      payment_id uuid,
      operation_id uuid,
      -- One of both: it is booked, or a person looks at it. Both null where the lines of a command come to nothing.
      entry_id uuid,
      exception_id uuid,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, settlement_id) REFERENCES settlements (book_id, id)
    );
    CREATE INDEX settlement_lines_by_settlement ON settlement_lines (book_id, settlement_id, id) WHERE settlement_id IS NOT NULL;
    CREATE INDEX settlement_lines_by_exception ON settlement_lines (book_id, exception_id) WHERE exception_id IS NOT NULL;

    CREATE TABLE acquirer_paydays (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'done')),
      pays_at timestamptz(3) NOT NULL,
      -- Of the reports that were made for it: each is made once, and read from there on.
      report_ids jsonb NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
    CREATE INDEX acquirer_paydays_appointments ON acquirer_paydays (book_id, pays_at, id)
      WHERE status = 'open' AND pays_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX acquirer_paydays_due ON acquirer_paydays (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX acquirer_paydays_due_by_book ON acquirer_paydays (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX acquirer_paydays_stuck ON acquirer_paydays (stuck_at) WHERE stuck_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE acquirer_paydays, settlement_lines, settlements, acquirer_report_lines, acquirer_report_parts,
      acquirer_reports, intake_files`);
}
