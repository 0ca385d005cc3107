/**
 * Faults of uploads of batches that were refused: an answer has the first hundred, and all of them are read as CSV for a day. In pieces, sealed, since
 * a fault may quote what stands in a row. The table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payout_upload_errors (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      -- Of the batch that was never made.
      batch_id uuid NOT NULL,
      place integer NOT NULL CHECK (place > 0),
      content_sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
    CREATE UNIQUE INDEX payout_upload_errors_by_place ON payout_upload_errors (book_id, batch_id, place) WHERE batch_id IS NOT NULL;
    CREATE INDEX payout_upload_errors_by_time ON payout_upload_errors (created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS payout_upload_errors');
}
