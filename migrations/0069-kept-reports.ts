/**
 * Reports that are asked for by API. `reports` is what is asked and what became of it; `report_files` is who writes a file and how far it is;
 * `report_pieces` are its bytes, sealed a megabyte at a time. A file is dropped after its time, or when a text in it is erased: its pieces go
 * with it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE reports (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'failed')),
      type text NOT NULL,
      -- Days are texts of the book's time zone: YYYY-MM-DD.
      from_day text NOT NULL,
      to_day text NOT NULL CHECK (to_day >= from_day),
      axis text NOT NULL CHECK (axis IN ('effective', 'posted')),
      currency text,
      -- Of types that take them; null otherwise.
      account_id uuid,
      detail text,
      format text NOT NULL,
      bom boolean NOT NULL,
      interim boolean NOT NULL,
      through_sequence bigint NOT NULL,
      chain_hash bytea,
      rows_done bigint NOT NULL,
      totals jsonb NOT NULL,
      file_bytes bigint,
      sha256 bytea,
      digest bytea,
      expires_at timestamptz(3),
      failure text,
      failure_detail text,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK ((sha256 IS NOT NULL) = (status = 'succeeded')),
      CHECK ((failure IS NOT NULL) = (status = 'failed'))
    );
    CREATE INDEX reports_under_way ON reports (book_id) WHERE status IN ('pending', 'running');
    CREATE INDEX reports_due ON reports (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX reports_due_by_book ON reports (status, book_id, due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX reports_stuck ON reports (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE report_files (
      book_id uuid NOT NULL,
      report_id uuid NOT NULL,
      key_sealed bytea NOT NULL,
      -- Who writes it, and until when nobody else does.
      holder uuid NOT NULL,
      leased_until timestamptz(3) NOT NULL,
      -- How far it is, for a writer that goes on.
      writer_state bytea,
      pieces integer NOT NULL,
      bytes bigint NOT NULL,
      -- Of a whole file.
      expires_at timestamptz(3),
      PRIMARY KEY (book_id, report_id)
    );
    CREATE INDEX report_files_expiring ON report_files (expires_at) WHERE expires_at IS NOT NULL;

    CREATE TABLE report_pieces (
      book_id uuid NOT NULL,
      report_id uuid NOT NULL,
      place integer NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (book_id, report_id, place),
      FOREIGN KEY (book_id, report_id) REFERENCES report_files (book_id, report_id) ON DELETE CASCADE
    );
    ALTER TABLE report_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS report_pieces; DROP TABLE IF EXISTS report_files; DROP TABLE IF EXISTS reports');
}
