/**
 * Card purchases (`transactions`), the messages that tell them, cardholders' disputes of them, and what the scheme settles.
 *
 * The id of a purchase is derived from its network reference: whichever message comes first makes it. So its id says nothing about time, and
 * lists are in the order of `begun_by`, the id of its first message. A message never changes, and its entries name it. Amounts, hold and
 * status of a purchase are a function of its messages (src/transactions/purchase/), which `verify` asks again.
 *
 * A scheme settlement covers lines of the book's account `scheme_settlement`, which are numbered without a gap: what is not settled needs no
 * rows of its own. `lines` counts those from `from_line` to `through_line` that are no settlement's own.
 *
 * A purchase that is open is found by its card and merchant: a forced post may belong to it. Indexes are partial, so that an index lookup by
 * key is left to the key (migration 0006). Every table is new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE transactions (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      network_reference text NOT NULL,
      begun_by uuid NOT NULL,
      line_id uuid NOT NULL,
      card_id uuid NOT NULL,
      token_id uuid,
      account_id uuid NOT NULL,
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'settled', 'verified', 'expired', 'reversed', 'declined')),
      kind text NOT NULL,
      mcc text NOT NULL,
      country text NOT NULL,
      merchant_id text NOT NULL,
      acquirer_id text,
      merchant jsonb NOT NULL,
      entry_mode text,
      -- What the first message pins.
      tolerance_percent smallint NOT NULL CHECK (tolerance_percent >= 0),
      fees jsonb NOT NULL,
      -- What follows from all messages.
      authorized bigint NOT NULL CHECK (authorized >= 0),
      reversed bigint NOT NULL CHECK (reversed >= 0),
      held bigint NOT NULL CHECK (held >= 0),
      fee_held bigint NOT NULL CHECK (fee_held >= 0),
      cleared bigint NOT NULL CHECK (cleared >= 0),
      refunded bigint NOT NULL CHECK (refunded >= 0),
      disputed bigint NOT NULL CHECK (disputed >= 0),
      fee bigint NOT NULL CHECK (fee >= 0),
      fx_difference bigint NOT NULL,
      is_open boolean NOT NULL,
      -- Of what is held, in the currency of its merchant.
      merchant_left bigint,
      merchant_currency text,
      first_used_at timestamptz(3),
      messages smallint NOT NULL CHECK (messages > 0),
      disputes smallint NOT NULL CHECK (disputes >= 0),
      -- How many holds it has had, and the last of them.
      holds smallint NOT NULL CHECK (holds >= 0),
      hold_id uuid,
      decision jsonb,
      flags jsonb NOT NULL,
      resembles uuid,
      metadata jsonb,
      text_salt bytea,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      -- Until when its authorization lasts. expires_at is the same while something is left to end by then.
      lasts_until timestamptz(3) NOT NULL,
      expires_at timestamptz(3),
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id),
      FOREIGN KEY (book_id, card_id) REFERENCES cards (book_id, id),
      FOREIGN KEY (book_id, hold_id) REFERENCES holds (book_id, id),
      CHECK ((holds = 0) = (hold_id IS NULL)),
      CHECK ((merchant_left IS NULL) = (merchant_currency IS NULL))
    ) WITH (fillfactor = 80);
    CREATE UNIQUE INDEX transactions_in_order ON transactions (book_id, begun_by) WHERE begun_by IS NOT NULL;
    CREATE INDEX transactions_by_account ON transactions (book_id, account_id, begun_by) WHERE account_id IS NOT NULL;
    CREATE INDEX transactions_by_card ON transactions (book_id, card_id, begun_by) WHERE card_id IS NOT NULL;
    CREATE INDEX transactions_by_status ON transactions (book_id, status, begun_by) WHERE status IS NOT NULL;
    CREATE INDEX transactions_open ON transactions (book_id, card_id, merchant_id, id) WHERE held > 0;
    CREATE INDEX transactions_open_by_account ON transactions (book_id, account_id, id) WHERE is_open;
    CREATE INDEX transactions_appointments ON transactions (book_id, expires_at, id)
      WHERE expires_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX transactions_due ON transactions (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX transactions_due_by_book ON transactions (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX transactions_stuck ON transactions (stuck_at) WHERE stuck_at IS NOT NULL;

    CREATE TABLE transaction_messages (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      transaction_id uuid NOT NULL,
      -- Counts from 1 in its purchase.
      ordinal smallint NOT NULL CHECK (ordinal > 0),
      -- Of its event: the order in which the book has decided. A reversal that waits has none, and the number of the next one.
      event_sequence bigint NOT NULL CHECK (event_sequence > 0),
      reference text NOT NULL,
      type text NOT NULL CHECK (type IN
        ('authorization', 'increment', 'advice', 'reversal', 'clearing', 'refund', 'clearing_reversal', 'refund_reversal', 'expiry')),
      card_id uuid NOT NULL,
      token_id uuid,
      -- Its own: a request in another currency than its account's is declined.
      currency text NOT NULL,
      kind text,
      form text CHECK (form IN ('dual', 'single')),
      amount bigint CHECK (amount >= 0),
      cashback bigint CHECK (cashback >= 0),
      merchant_amount bigint CHECK (merchant_amount >= 0),
      merchant_currency text,
      is_partial_allowed boolean,
      reason text CHECK (reason IN ('stand_in', 'completion', 'offline')),
      advised text CHECK (advised IN ('authorization', 'increment')),
      is_approved boolean,
      approved_amount bigint CHECK (approved_amount >= 0),
      authorized_amount bigint CHECK (authorized_amount >= 0),
      authorized_merchant_amount bigint,
      authorized_merchant_currency text,
      decline_code text,
      sequence_number smallint,
      sequence_count smallint,
      is_final boolean,
      reverses text,
      -- How the card was presented and what was checked; what was decided, by which rules.
      checks jsonb,
      decision jsonb,
      flags jsonb NOT NULL,
      interchange bigint,
      business_date text,
      request_id uuid NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, transaction_id) REFERENCES transactions (book_id, id),
      CHECK ((sequence_number IS NULL) = (sequence_count IS NULL)),
      CHECK ((merchant_amount IS NULL) = (merchant_currency IS NULL)),
      CHECK ((reverses IS NOT NULL) = (type IN ('clearing_reversal', 'refund_reversal')))
    );
    CREATE UNIQUE INDEX transaction_messages_in_order ON transaction_messages (book_id, transaction_id, ordinal)
      WHERE transaction_id IS NOT NULL;

    CREATE TABLE transaction_disputes (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      transaction_id uuid NOT NULL,
      -- Counts from 1 in its purchase.
      ordinal smallint NOT NULL CHECK (ordinal > 0),
      account_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('opened', 'submitted', 'won', 'lost', 'withdrawn')),
      amount bigint NOT NULL CHECK (amount > 0),
      credited bigint NOT NULL CHECK (credited BETWEEN 0 AND amount),
      currency text NOT NULL,
      reason text NOT NULL,
      entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, transaction_id) REFERENCES transactions (book_id, id)
    );
    CREATE INDEX transaction_disputes_by_transaction_id ON transaction_disputes (book_id, transaction_id, id)
      WHERE transaction_id IS NOT NULL;
    CREATE INDEX transaction_disputes_open ON transaction_disputes (book_id, account_id, id)
      WHERE status IN ('opened', 'submitted');

    CREATE TABLE scheme_settlements (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      currency text NOT NULL,
      from_line bigint NOT NULL CHECK (from_line > 0),
      through_line bigint NOT NULL,
      lines bigint NOT NULL CHECK (lines > 0),
      net bigint NOT NULL,
      entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (from_line <= through_line)
    );
    CREATE UNIQUE INDEX scheme_settlements_by_line ON scheme_settlements (book_id, currency, through_line) WHERE currency IS NOT NULL;
    CREATE INDEX scheme_settlements_by_created ON scheme_settlements (book_id, created_at, id) WHERE created_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE scheme_settlements, transaction_disputes, transaction_messages, transactions');
}
