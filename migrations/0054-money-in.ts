/**
 * Money that arrives at a bank. An account has a reference of its own (ISO 11649), by which a payer names it. A credit that a rail reports is a
 * row of the operator's book, whichever file or notice tells it, until it is a transfer of a customer's book or an exception. References and
 * credits stand in the operator's books, so that both are unique over all books of a mode.
 *
 * Transfers of an earlier version keep the defaults, and those that it adds get them: they have a status and a version, and nothing of a bank.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE inbound_transfers
      ADD COLUMN status text NOT NULL DEFAULT 'received' CHECK (status IN ('received', 'returned')),
      ADD COLUMN bank_reference text,
      ADD COLUMN end_to_end_id text,
      -- Masked.
      ADD COLUMN payer_name text,
      ADD COLUMN payer_account text,
      ADD COLUMN remittance text,
      ADD COLUMN text_salt bytea,
      ADD COLUMN value_on text,
      ADD COLUMN booked_on text,
      -- Null in rows of version 0.2.0, whose entry names its transfer.
      ADD COLUMN entry_id uuid,
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz(3);
    CREATE INDEX inbound_transfers_by_account ON inbound_transfers (book_id, account_id, id) WHERE account_id IS NOT NULL;
    CREATE INDEX inbound_transfers_by_status ON inbound_transfers (book_id, status, id) WHERE status IS NOT NULL;
    CREATE INDEX inbound_transfers_by_created ON inbound_transfers (book_id, created_at, id) WHERE created_at IS NOT NULL;

    -- References of accounts, in the operator's book of the mode.
    CREATE TABLE receive_references (
      book_id uuid NOT NULL,
      reference text NOT NULL,
      owner_book_id uuid NOT NULL,
      account_id uuid NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, reference)
    );
    CREATE UNIQUE INDEX receive_references_by_account ON receive_references (book_id, owner_book_id, account_id)
      WHERE account_id IS NOT NULL;

    -- Booked credits that name no payment of ours, in the operator's book of the mode.
    CREATE TABLE inbound_credits (
      book_id uuid NOT NULL,
      -- Derived from the bank account and the bank's reference, else from the place where it is told.
      id uuid NOT NULL,
      rail text NOT NULL,
      -- The account at the bank: the scope of the bank's references.
      bank_account text NOT NULL,
      bank_reference text,
      -- Another credit has the same reference of the bank: it names neither.
      shared boolean NOT NULL,
      amount bigint NOT NULL CHECK (amount > 0),
      currency text NOT NULL,
      end_to_end_id text,
      payer_name text,
      payer_account text,
      -- Null once it is in a book, and while there is none.
      remittance_sealed bytea,
      value_on text,
      booked_on text,
      status text NOT NULL CHECK (status IN ('received', 'allocated', 'posted', 'unallocated', 'given')),
      -- The book that it is for, its account and the transfer that it becomes.
      owner_book_id uuid,
      account_id uuid,
      transfer_id uuid,
      version integer NOT NULL DEFAULT 1,
      due_at timestamptz(3),
      stuck_at timestamptz(3),
      stuck_error text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (status NOT IN ('allocated', 'posted') OR (owner_book_id IS NOT NULL AND account_id IS NOT NULL AND transfer_id IS NOT NULL)),
      CHECK (status <> 'given' OR owner_book_id IS NOT NULL)
    ) WITH (fillfactor = 80);
    CREATE UNIQUE INDEX inbound_credits_by_reference ON inbound_credits (book_id, bank_account, bank_reference)
      WHERE bank_reference IS NOT NULL AND NOT shared;
    CREATE INDEX inbound_credits_of_reference ON inbound_credits (book_id, bank_account, bank_reference, id)
      WHERE bank_reference IS NOT NULL;
    CREATE INDEX inbound_credits_due ON inbound_credits (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX inbound_credits_due_by_book ON inbound_credits (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX inbound_credits_stuck ON inbound_credits (stuck_at) WHERE stuck_at IS NOT NULL;
    CREATE INDEX inbound_credits_by_transfer ON inbound_credits (book_id, owner_book_id, transfer_id) WHERE transfer_id IS NOT NULL;

    -- Money at the bank that no book has: it waits in no account. Where a person wants it is booked by the approval.
    ALTER TABLE exceptions
      ADD COLUMN target_account_id uuid,
      DROP CONSTRAINT exceptions_waiting,
      ADD CONSTRAINT exceptions_waiting
        CHECK ((amount IS NULL) = (currency IS NULL) AND (account_id IS NULL OR amount IS NOT NULL)) NOT VALID;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE exceptions
      DROP COLUMN target_account_id,
      DROP CONSTRAINT exceptions_waiting,
      ADD CONSTRAINT exceptions_waiting
        CHECK ((account_id IS NULL) = (amount IS NULL) AND (account_id IS NULL) = (currency IS NULL)) NOT VALID;
    DROP TABLE inbound_credits, receive_references;
    DROP INDEX inbound_transfers_by_account, inbound_transfers_by_status, inbound_transfers_by_created;
    ALTER TABLE inbound_transfers
      DROP COLUMN status, DROP COLUMN bank_reference, DROP COLUMN end_to_end_id, DROP COLUMN payer_name,
      DROP COLUMN payer_account, DROP COLUMN remittance, DROP COLUMN text_salt, DROP COLUMN value_on,
      DROP COLUMN booked_on, DROP COLUMN entry_id, DROP COLUMN version, DROP COLUMN updated_at;
  `);
}
