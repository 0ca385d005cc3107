/**
 * Tokens of cards, readers with what they are asked to do, and what a payment keeps of such sources: which token or reader it is paid
 * with, the alias of a request to pay, whom a token is stored for, and the billing address. Alias and address are sealed.
 * The sandbox acquirer keeps what an address check said.
 *
 * Columns without a default: nothing is rewritten. Tables are new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payments
      ADD COLUMN source_facts jsonb,
      ADD COLUMN alias_sealed bytea,
      ADD COLUMN billing_sealed bytea,
      ADD COLUMN store_for text,
      ADD COLUMN stored_token_id uuid;

    CREATE TABLE payment_tokens (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'used', 'failed', 'deleted')),
      -- Null: good for one payment.
      customer_reference text,
      acquirer text NOT NULL,
      -- The acquirer's own token of the card.
      acquirer_token text NOT NULL,
      card jsonb NOT NULL,
      verification jsonb,
      network_reference text,
      -- Of a one-time token, the payment that used it; of a kept one, the payment that it was stored by.
      payment_id uuid,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
    CREATE INDEX payment_tokens_by_customer_reference ON payment_tokens (book_id, customer_reference, id)
      WHERE customer_reference IS NOT NULL;
    -- Lists show those that are not deleted.
    CREATE INDEX payment_tokens_listed ON payment_tokens (book_id, id) WHERE status <> 'deleted';

    CREATE TABLE payment_readers (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('registered', 'removed')),
      -- Null once it is erased.
      label text,
      -- The action under way: one at a time.
      action_id uuid,
      metadata jsonb,
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );
    CREATE INDEX payment_readers_listed ON payment_readers (book_id, id) WHERE status = 'registered';

    CREATE TABLE payment_reader_actions (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      reader_id uuid NOT NULL,
      payment_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('in_progress', 'succeeded', 'failed', 'canceled')),
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      entry_mode text,
      failure text CHECK (failure IN ('timed_out', 'declined')),
      -- In the book's own time.
      expires_at timestamptz(3) NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, reader_id) REFERENCES payment_readers (book_id, id),
      FOREIGN KEY (book_id, payment_id) REFERENCES payments (book_id, id)
    );
    CREATE INDEX payment_reader_actions_by_reader ON payment_reader_actions (book_id, reader_id, id) WHERE reader_id IS NOT NULL;

    ALTER TABLE sandbox_acquirer.instructions ADD COLUMN avs_check text;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE sandbox_acquirer.instructions DROP COLUMN avs_check;
    DROP TABLE payment_reader_actions, payment_readers, payment_tokens;
    ALTER TABLE payments DROP COLUMN source_facts, DROP COLUMN alias_sealed, DROP COLUMN billing_sealed,
      DROP COLUMN store_for, DROP COLUMN stored_token_id;
  `);
}
