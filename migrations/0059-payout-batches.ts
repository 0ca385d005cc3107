/**
 * Batches of payouts, their items, uploads that are under way, and what was uploaded before. The column of payouts is null in every row that
 * there is: release 0.2.0 neither reads nor writes it, and the statement changes the catalog alone. The indexes of payouts have no rows; they are built beside the running product. Every statement can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const INDEXES = {
  payouts_by_batch: 'payouts (book_id, batch_id, status) WHERE batch_id IS NOT NULL',
  payouts_bulk_under_way: `payouts (book_id, id) WHERE batch_id IS NOT NULL AND status IN ('pending', 'processing')`,
};

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE IF NOT EXISTS payout_batches (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('draft', 'requires_approval', 'scheduled', 'processing', 'completed',
        'partially_completed', 'failed', 'rejected', 'canceled')),
      sha256 bytea NOT NULL,
      items integer NOT NULL CHECK (items > 0),
      -- Rows 1 to made are payouts; rows beyond last never become any.
      made integer NOT NULL CHECK (made >= 0),
      last integer NOT NULL CHECK (last >= made AND last <= items),
      totals jsonb NOT NULL,
      paying_accounts jsonb NOT NULL,
      held boolean NOT NULL,
      rails jsonb NOT NULL,
      new_payees boolean NOT NULL,
      approval_requested boolean NOT NULL,
      approval jsonb,
      made_by text NOT NULL,
      submitted_by text,
      scheduled_for timestamptz(3),
      reason text,
      external_id text,
      metadata jsonb,
      text_salt bytea,
      configuration bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    ) WITH (fillfactor = 80);
    CREATE INDEX IF NOT EXISTS payout_batches_due ON payout_batches (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS payout_batches_due_by_book ON payout_batches (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS payout_batches_stuck ON payout_batches (stuck_at) WHERE stuck_at IS NOT NULL;
    CREATE INDEX IF NOT EXISTS payout_batches_appointments ON payout_batches (book_id, scheduled_for, id)
      WHERE status = 'scheduled' AND scheduled_for IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX IF NOT EXISTS payout_batches_making ON payout_batches (book_id, id) WHERE status = 'processing' AND made < last;
    CREATE INDEX IF NOT EXISTS payout_batches_open ON payout_batches (book_id, id)
      WHERE status IN ('draft', 'requires_approval', 'scheduled', 'processing');
    CREATE INDEX IF NOT EXISTS payout_batches_by_status ON payout_batches (book_id, status, id) WHERE status IS NOT NULL;
    CREATE INDEX IF NOT EXISTS payout_batches_by_external_id ON payout_batches (book_id, external_id, id) WHERE external_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS payout_batches_by_created ON payout_batches (book_id, created_at, id) WHERE created_at IS NOT NULL;

    -- Inserted in pages before the batch, by its upload. What an item asks for is null once its payout has it, or nothing becomes of it.
    CREATE TABLE IF NOT EXISTS payout_batch_items (
      book_id uuid NOT NULL,
      batch_id uuid NOT NULL,
      row_number integer NOT NULL CHECK (row_number > 0),
      payout_id uuid NOT NULL,
      -- Null: the batch's account of the currency.
      account_id uuid,
      amount bigint NOT NULL CHECK (amount > 0),
      fee bigint NOT NULL CHECK (fee >= 0),
      currency text NOT NULL,
      external_id text,
      end_to_end_id text NOT NULL,
      content_sealed bytea,
      PRIMARY KEY (book_id, payout_id)
    );
    CREATE UNIQUE INDEX IF NOT EXISTS payout_batch_items_by_row ON payout_batch_items (book_id, batch_id, row_number)
      WHERE row_number IS NOT NULL;

    CREATE TABLE IF NOT EXISTS payout_batch_contents (
      book_id uuid NOT NULL,
      -- SHA-256 in hexadecimal digits.
      sha256 text NOT NULL,
      batch_id uuid NOT NULL,
      alive integer NOT NULL CHECK (alive >= 0),
      PRIMARY KEY (book_id, sha256)
    );

    -- Before the first page of an upload. What it has kept is deleted with it, unless its batch was made.
    CREATE TABLE IF NOT EXISTS payout_uploads (
      book_id uuid NOT NULL,
      batch_id uuid NOT NULL,
      done boolean NOT NULL,
      begun_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, batch_id)
    );
    CREATE INDEX IF NOT EXISTS payout_uploads_by_begin ON payout_uploads (begun_at) WHERE begun_at IS NOT NULL;

    ALTER TABLE payouts ADD COLUMN IF NOT EXISTS batch_id uuid;
  `);
  for (const [name, on] of Object.entries(INDEXES)) {
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const name of Object.keys(INDEXES)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await knex.raw(`
    ALTER TABLE payouts DROP COLUMN batch_id;
    DROP TABLE payout_uploads, payout_batch_contents, payout_batch_items, payout_batches;
  `);
}
