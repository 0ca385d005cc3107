/** Disputes of payments. What is sent to the acquirer for one is an operation of its payment. The table is new, so nothing waits. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payment_disputes (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('opened', 'evidence_submitted', 'accepted', 'won', 'lost')),
      stage text NOT NULL CHECK (stage IN ('inquiry', 'chargeback')),
      payment_id uuid NOT NULL,
      account_id uuid NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      fee bigint NOT NULL CHECK (fee >= 0),
      fee_refunded bigint NOT NULL CHECK (fee_refunded BETWEEN 0 AND fee),
      reason text NOT NULL,
      -- As the acquirer names it.
      reason_code text,
      acquirer text NOT NULL,
      acquirer_reference text NOT NULL,
      -- The acquirer's notice that opened it: told twice, it is one dispute.
      notice_id uuid NOT NULL,
      -- When the acquirer told of it, by which the same message under another id is known.
      told_at timestamptz(3),
      previous_dispute uuid,
      next_dispute uuid,
      evidence jsonb,
      text_salt bytea,
      -- In the book's own time; due_at is visit_at where the book's clock is not moved.
      evidence_due_at timestamptz(3) NOT NULL,
      visit_at timestamptz(3),
      is_overdue boolean NOT NULL,
      pending_operation uuid,
      outcome text CHECK (outcome = 'unknown'),
      next_inquiry_at timestamptz(3),
      failure_code text,
      portions jsonb NOT NULL,
      -- When the acquirer's report had what was taken, and what was given back. In the book's own time.
      settled_at timestamptz(3),
      won_settled_at timestamptz(3),
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
    CREATE UNIQUE INDEX payment_disputes_by_notice ON payment_disputes (book_id, notice_id) WHERE notice_id IS NOT NULL;
    CREATE INDEX payment_disputes_by_payment ON payment_disputes (book_id, payment_id, id) WHERE payment_id IS NOT NULL;
    CREATE INDEX payment_disputes_by_account ON payment_disputes (book_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX payment_disputes_by_status ON payment_disputes (book_id, status, id) WHERE status IS NOT NULL;
    CREATE INDEX payment_disputes_by_created ON payment_disputes (book_id, created_at, id) WHERE created_at IS NOT NULL;
    CREATE INDEX payment_disputes_open ON payment_disputes (book_id, account_id, id)
      WHERE status IN ('opened', 'evidence_submitted');
    CREATE INDEX payment_disputes_unsettled ON payment_disputes (book_id, id)
      WHERE stage = 'chargeback' AND (settled_at IS NULL OR (status = 'won' AND won_settled_at IS NULL));
    CREATE INDEX payment_disputes_appointments ON payment_disputes (book_id, visit_at, id)
      WHERE status = 'opened' AND visit_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_disputes_due ON payment_disputes (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_disputes_due_by_book ON payment_disputes (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX payment_disputes_stuck ON payment_disputes (stuck_at) WHERE stuck_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payment_disputes');
}
