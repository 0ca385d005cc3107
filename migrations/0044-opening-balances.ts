/**
 * Opening balances of customers. A file of them is kept in the operator's book of the mode, sealed, with an exception that two persons end; what
 * each of its lines books in the customer's book is a transfer that names the file.
 *
 * Transfers of an earlier version, and those that it adds, name none.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE inbound_transfers ADD COLUMN opening_id uuid;
    CREATE INDEX inbound_transfers_by_opening ON inbound_transfers (book_id, opening_id, id) WHERE opening_id IS NOT NULL;

    CREATE TABLE opening_files (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      sha256 bytea NOT NULL,
      -- The customer's book.
      of_book uuid NOT NULL,
      -- Lines with an amount. Those of zero book nothing.
      lines integer NOT NULL CHECK (lines > 0),
      -- [{currency, amount}] in minor units as decimal text.
      totals jsonb NOT NULL,
      -- The ids of its transfers count up from here. Null until it is applied.
      transfers_from uuid,
      applied_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (applied_at IS NULL OR transfers_from IS NOT NULL),
      FOREIGN KEY (book_id, sha256) REFERENCES intake_files (book_id, sha256)
    );
    CREATE UNIQUE INDEX opening_files_by_bytes ON opening_files (book_id, of_book, sha256) WHERE sha256 IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE opening_files;
    DROP INDEX inbound_transfers_by_opening;
    ALTER TABLE inbound_transfers DROP COLUMN opening_id;
  `);
}
