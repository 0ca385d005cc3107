/** Tokens of cards, and readers with what they are asked to do. The tables are new, so nothing waits. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payment_tokens (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'used', 'failed', 'deleted')),
      -- Of a kept token. Null in one that is good for one payment, and once it is erased.
      customer_reference text,
      text_salt bytea,
      reusable boolean NOT NULL DEFAULT false,
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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payment_reader_actions, payment_readers, payment_tokens');
}
