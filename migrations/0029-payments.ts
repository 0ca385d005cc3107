/**
 * Payments: the payments of a book, what was sent to acquirers for them (`payment_operations`), what they earned and when it is
 * released (`payment_shares` with lines, `payment_releases`).
 *
 * A payment is found by the digest of the token of its checkout page. The token itself is in no row (docs/decisions/checkout.md). Unique
 * over all books: who opens the page names no book. The alias of a request to pay and the billing address are sealed.
 *
 * A share that waits for the acquirer has no `releases_at`: it is nothing that falls due. A share may be a reserve: part of what captures
 * earned, which is released later than the rest. Lines of shares are found by what they are of, so that `verify` holds each capture,
 * refund and dispute against what it put into shares.
 *
 * Indexes are partial, so that an index lookup by key is left to the key (migration 0006). Every table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payments (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('requires_action', 'processing', 'authorized', 'partially_captured', 'captured',
        'settled', 'canceled', 'expired', 'failed')),
      account_id uuid NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      capture_mode text NOT NULL CHECK (capture_mode IN ('automatic', 'manual')),
      source_type text NOT NULL CHECK (source_type IN ('card', 'token', 'cliq_request', 'checkout', 'terminal')),
      acquirer text NOT NULL,
      card jsonb,
      initiator text NOT NULL CHECK (initiator IN ('customer', 'merchant')),
      recurring jsonb,
      amount_authorized bigint NOT NULL CHECK (amount_authorized >= 0),
      amount_captured bigint NOT NULL CHECK (amount_captured >= 0 AND amount_captured <= amount_authorized),
      amount_refunded bigint NOT NULL CHECK (amount_refunded >= 0),
      amount_refunding bigint NOT NULL CHECK (amount_refunding >= 0),
      amount_disputed bigint NOT NULL CHECK (amount_disputed >= 0),
      amount_settled bigint NOT NULL CHECK (amount_settled >= 0),
      amount_tip bigint NOT NULL CHECK (amount_tip >= 0),
      disputes integer NOT NULL DEFAULT 0 CHECK (disputes >= 0),
      fee_fixed bigint NOT NULL CHECK (fee_fixed >= 0),
      fee_basis_points bigint NOT NULL CHECK (fee_basis_points BETWEEN 0 AND 10000),
      fee bigint NOT NULL CHECK (fee >= 0),
      fee_refunded bigint NOT NULL CHECK (fee_refunded >= 0),
      authorization_facts jsonb,
      decline jsonb,
      attempts jsonb NOT NULL,
      next_action jsonb,
      pending_operation uuid,
      authorized_by uuid,
      outcome text CHECK (outcome = 'unknown'),
      next_inquiry_at timestamptz(3),
      -- In the book's own time; due_at is the same where the book's clock is not moved.
      expires_at timestamptz(3),
      available_on text,
      statement_descriptor text,
      return_url text,
      cancel_url text,
      checkout_digest bytea CHECK (octet_length(checkout_digest) = 32),
      -- Which token or reader it is paid with.
      source_facts jsonb,
      alias_sealed bytea,
      billing_sealed bytea,
      -- The customer whom a token is kept for, and that token.
      store_for text,
      stored_token_id uuid,
      description text,
      external_id text,
      metadata jsonb,
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id),
      CHECK (amount_refunded + amount_refunding <= amount_captured)
    );
    CREATE INDEX payments_by_account ON payments (book_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX payments_by_status ON payments (book_id, status, id) WHERE status IS NOT NULL;
    CREATE INDEX payments_by_external_id ON payments (book_id, external_id, id) WHERE external_id IS NOT NULL;
    CREATE INDEX payments_by_created ON payments (book_id, created_at, id) WHERE created_at IS NOT NULL;
    CREATE UNIQUE INDEX payments_by_checkout ON payments (checkout_digest) WHERE checkout_digest IS NOT NULL;
    CREATE INDEX payments_open ON payments (book_id, account_id, id)
      WHERE status IN ('requires_action', 'processing', 'authorized', 'partially_captured');
    CREATE INDEX payments_appointments ON payments (book_id, expires_at, id)
      WHERE status IN ('requires_action', 'authorized', 'partially_captured') AND expires_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payments_due ON payments (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payments_due_by_book ON payments (status, book_id, due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payments_stuck ON payments (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE payment_operations (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      payment_id uuid NOT NULL,
      account_id uuid NOT NULL,
      kind text NOT NULL CHECK (kind IN ('authorize', 'increment', 'capture', 'void', 'refund', 'evidence', 'accept_dispute')),
      -- Of what is sent for a dispute.
      dispute_id uuid,
      status text NOT NULL CHECK (status IN ('pending', 'requires_action', 'succeeded', 'failed')),
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      acquirer text NOT NULL,
      -- What the acquirer knows the operation by, and the authorization that it is about.
      reference text NOT NULL,
      of_reference text,
      token text,
      is_final boolean NOT NULL,
      reason text,
      text_salt bytea,
      fee bigint NOT NULL CHECK (fee >= 0),
      portions jsonb NOT NULL,
      outcome text CHECK (outcome = 'unknown'),
      inquiries smallint NOT NULL,
      next_inquiry_at timestamptz(3),
      sent_at timestamptz(3) NOT NULL,
      -- Of a request to pay or a challenge: until when the payer may act, by the world's time.
      payer_until timestamptz(3),
      withdrawn boolean NOT NULL DEFAULT false,
      failure_code text,
      network_code text,
      acquirer_reference text,
      settled_at timestamptz(3),
      -- When a report gave back a refund that had failed: its own report may have paid that refund before, or after it failed.
      failure_settled_at timestamptz(3),
      entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, payment_id) REFERENCES payments (book_id, id)
    );
    CREATE UNIQUE INDEX payment_operations_by_reference ON payment_operations (book_id, reference) WHERE reference IS NOT NULL;
    CREATE INDEX payment_operations_by_payment ON payment_operations (book_id, payment_id, kind, id) WHERE payment_id IS NOT NULL;
    CREATE INDEX payment_refunds ON payment_operations (book_id, id) WHERE kind = 'refund';
    CREATE INDEX payment_refunds_by_account ON payment_operations (book_id, account_id, id) WHERE kind = 'refund';
    CREATE INDEX payment_refunds_by_created ON payment_operations (book_id, created_at, id) WHERE kind = 'refund';
    CREATE INDEX payment_refunds_open ON payment_operations (book_id, account_id, id)
      WHERE kind = 'refund' AND status = 'pending';
    CREATE INDEX payment_operations_due ON payment_operations (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_operations_due_by_book ON payment_operations (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_operations_stuck ON payment_operations (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE payment_shares (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      account_id uuid NOT NULL,
      currency text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('waiting', 'ready')),
      is_reserve boolean NOT NULL DEFAULT false,
      status text NOT NULL CHECK (status IN ('open', 'released')),
      -- A day of the book's calendar: YYYY-MM-DD.
      available_on text NOT NULL,
      releases_at timestamptz(3),
      amount bigint NOT NULL CHECK (amount >= 0),
      -- Of a share that waits: what refunds and disputes of other payments took of it.
      lent bigint NOT NULL CHECK (lent >= 0),
      -- How often it was opened again: what is captured for a day that has been released is released apart.
      round integer NOT NULL,
      release_id uuid,
      version integer NOT NULL,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id)
    ) WITH (fillfactor = 70);
    CREATE INDEX payment_shares_open ON payment_shares (book_id, account_id, available_on, id) WHERE status = 'open';
    CREATE INDEX payment_shares_appointments ON payment_shares (book_id, releases_at, id)
      WHERE status = 'open' AND releases_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_shares_due ON payment_shares (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_shares_due_by_book ON payment_shares (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_shares_stuck ON payment_shares (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE payment_share_lines (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      share_id uuid NOT NULL,
      payment_id uuid NOT NULL,
      operation_id uuid NOT NULL,
      round integer NOT NULL,
      amount bigint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, share_id) REFERENCES payment_shares (book_id, id)
    );
    CREATE INDEX payment_share_lines_by_share ON payment_share_lines (book_id, share_id, id) WHERE share_id IS NOT NULL;
    CREATE INDEX payment_share_lines_by_operation ON payment_share_lines (book_id, operation_id) WHERE operation_id IS NOT NULL;

    CREATE TABLE payment_releases (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      share_id uuid NOT NULL,
      round integer NOT NULL,
      account_id uuid NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      entry_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, share_id) REFERENCES payment_shares (book_id, id)
    );
    CREATE INDEX payment_releases_by_account ON payment_releases (book_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX payment_releases_by_created ON payment_releases (book_id, created_at, id) WHERE created_at IS NOT NULL;
    CREATE INDEX payment_releases_by_share ON payment_releases (book_id, share_id) WHERE share_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payment_releases, payment_share_lines, payment_shares, payment_operations, payments');
}
