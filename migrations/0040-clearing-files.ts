/**
 * Clearing files of processors. A file belongs to no book of a customer's: its rows stand in a book of the operator's (`clearing_files` with
 * parts and lines; they never change), as reports of acquirers do. Each part is one program's share of it. How far the program's book has
 * taken its part stands in that book (`clearing_intakes`), written in the commits that take the lines.
 *
 * A file may have more bytes than a row should: they are kept in parts, and the row of such a file has none (`intake_files.bytes`). Dropping
 * NOT NULL changes the catalogue alone. Every table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE intake_files ALTER COLUMN bytes DROP NOT NULL;
    CREATE TABLE intake_file_parts (
      book_id uuid NOT NULL,
      sha256 bytea NOT NULL,
      -- Counts from 1 in its file.
      place integer NOT NULL CHECK (place > 0),
      bytes bytea NOT NULL,
      PRIMARY KEY (book_id, sha256, place),
      FOREIGN KEY (book_id, sha256) REFERENCES intake_files (book_id, sha256)
    );

    CREATE TABLE clearing_files (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      processor text NOT NULL,
      sha256 bytea NOT NULL,
      lines integer NOT NULL CHECK (lines > 0),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, sha256) REFERENCES intake_files (book_id, sha256)
    );
    CREATE UNIQUE INDEX clearing_files_by_sha256 ON clearing_files (book_id, sha256) WHERE sha256 IS NOT NULL;

    CREATE TABLE clearing_file_parts (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      file_id uuid NOT NULL,
      of_book uuid NOT NULL,
      lines integer NOT NULL CHECK (lines > 0),
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, file_id) REFERENCES clearing_files (book_id, id)
    );
    CREATE INDEX clearing_file_parts_by_file ON clearing_file_parts (book_id, file_id, id) WHERE file_id IS NOT NULL;

    CREATE TABLE clearing_lines (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      part_id uuid NOT NULL,
      -- Counts from 1 in its part.
      place integer NOT NULL CHECK (place > 0),
      -- Of the file.
      row_number integer NOT NULL,
      message_reference text NOT NULL,
      network_reference text NOT NULL,
      program text NOT NULL,
      -- Our id or the processor's reference. Null where the line leaves it to its purchase.
      card text,
      type text NOT NULL CHECK (type IN ('clearing', 'clearing_reversal', 'refund', 'refund_reversal')),
      kind text,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      merchant_amount bigint CHECK (merchant_amount >= 0),
      merchant_currency text,
      sequence_number smallint,
      sequence_count smallint,
      is_final boolean,
      mcc text NOT NULL,
      merchant_id text NOT NULL,
      merchant_name text NOT NULL,
      merchant_country text NOT NULL,
      interchange bigint,
      business_date text,
      reverses text,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, part_id) REFERENCES clearing_file_parts (book_id, id),
      CHECK ((merchant_amount IS NULL) = (merchant_currency IS NULL)),
      CHECK ((sequence_number IS NULL) = (sequence_count IS NULL)),
      CHECK ((reverses IS NOT NULL) = (type IN ('clearing_reversal', 'refund_reversal')))
    );
    CREATE UNIQUE INDEX clearing_lines_in_order ON clearing_lines (book_id, part_id, place) WHERE part_id IS NOT NULL;

    CREATE TABLE clearing_intakes (
      book_id uuid NOT NULL,
      -- Of the part, which stands in a book of the operator's.
      id uuid NOT NULL,
      processor text NOT NULL,
      lines integer NOT NULL,
      -- How far the part has been taken, and what became of those lines.
      taken integer NOT NULL,
      booked integer NOT NULL,
      known integer NOT NULL,
      exceptions integer NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (taken <= lines AND booked + known + exceptions = taken)
    ) WITH (fillfactor = 80);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE clearing_intakes, clearing_lines, clearing_file_parts, clearing_files, intake_file_parts;
    DELETE FROM intake_files WHERE bytes IS NULL;
    ALTER TABLE intake_files ALTER COLUMN bytes SET NOT NULL;
  `);
}
