/**
 * The sandbox's bank: what the sandbox rail paid and the sandbox acquirer settled moves there, and so does money that simulations let arrive. It
 * writes statements of that. Like the other sandboxes it plays the outside world: nothing of it is keyed by book or joined with our tables.
 *
 * `at_bank` says whether an instruction's money has left the bank; the index has those where that differs from its status. Nothing is written
 * anew: the columns have constant defaults. What was there before moves at the bank with the first statement.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE sandbox_rail.instructions ADD COLUMN at_bank boolean NOT NULL DEFAULT false, ADD COLUMN moved_at timestamptz(3);
    CREATE INDEX instructions_not_at_bank ON sandbox_rail.instructions (received_at) WHERE (status = 'paid') <> at_bank;
    ALTER TABLE sandbox_rail.notices ADD COLUMN at_bank boolean NOT NULL DEFAULT false;
    CREATE INDEX notices_not_at_bank ON sandbox_rail.notices (created_at) WHERE kind = 'returned' AND NOT at_bank;

    CREATE SCHEMA sandbox_bank;

    CREATE TABLE sandbox_bank.movements (
      id uuid PRIMARY KEY,
      kind text NOT NULL CHECK (kind IN ('payout', 'return', 'settlement', 'credit')),
      originator text NOT NULL,
      -- As the bank shows it: money in is positive.
      amount bigint NOT NULL CHECK (amount <> 0),
      currency text NOT NULL,
      moved_at timestamptz(3) NOT NULL,
      reference text NOT NULL,
      end_to_end_id text,
      -- A credit is offered before a book takes it: it moves where the book did.
      standing text NOT NULL CHECK (standing IN ('offered', 'refused', 'moved', 'stated')),
      bank_account uuid,
      statement integer,
      CHECK ((standing = 'stated') = (statement IS NOT NULL))
    );
    CREATE INDEX movements_moved ON sandbox_bank.movements (currency, moved_at, id) WHERE standing = 'moved';
    CREATE INDEX movements_moved_by_id ON sandbox_bank.movements (end_to_end_id) WHERE standing = 'moved' AND end_to_end_id IS NOT NULL;
    CREATE INDEX movements_moved_by_reference ON sandbox_bank.movements (reference) WHERE standing = 'moved';
    CREATE INDEX movements_offered ON sandbox_bank.movements (id) WHERE standing = 'offered';

    CREATE TABLE sandbox_bank.accounts (
      bank_account uuid PRIMARY KEY,
      -- Of its last statement.
      number integer NOT NULL,
      balance bigint NOT NULL,
      through text
    );

    CREATE TABLE sandbox_bank.statements (
      bank_account uuid NOT NULL REFERENCES sandbox_bank.accounts (bank_account),
      number integer NOT NULL,
      -- Of the request: the same key gets the same file.
      key text NOT NULL UNIQUE,
      file text NOT NULL,
      made_at timestamptz(3) NOT NULL,
      PRIMARY KEY (bank_account, number)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP SCHEMA sandbox_bank CASCADE;
    DROP INDEX sandbox_rail.instructions_not_at_bank;
    DROP INDEX sandbox_rail.notices_not_at_bank;
    ALTER TABLE sandbox_rail.instructions DROP COLUMN at_bank, DROP COLUMN moved_at;
    ALTER TABLE sandbox_rail.notices DROP COLUMN at_bank;
  `);
}
