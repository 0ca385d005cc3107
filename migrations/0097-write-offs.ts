/**
 * What customers owe and nobody will pay. A write-off is a row of the operator's book of the mode, with an exception that two persons end; what it
 * books in the customer's book is a transfer that names it. Transfers of an earlier version, and all others, name none. A difference to a bank may be
 * a loss, where two persons match by hand: the check holds for what is written from now on.
 */
import type { Knex } from 'knex';

const difference = (to: readonly string[]) => `difference_to IN (${to.map((code) => `'${code}'`).join(', ')})`;
const BEFORE = ['rail_costs', 'bank_charges', 'differences', 'interest', 'own_funds'];

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE write_offs (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      -- The customer's book.
      of_book uuid NOT NULL,
      account_id uuid NOT NULL,
      currency text NOT NULL,
      -- Minor units, as two persons are asked.
      amount bigint NOT NULL CHECK (amount > 0),
      status text NOT NULL CHECK (status IN ('proposed', 'approved', 'booked', 'withdrawn')),
      -- In the customer's book. Null until it is approved.
      transfer_id uuid,
      -- Zero where nothing was owed any more.
      booked_amount bigint CHECK (booked_amount BETWEEN 0 AND amount),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK ((status IN ('approved', 'booked')) = (transfer_id IS NOT NULL)),
      CHECK ((status = 'booked') = (booked_amount IS NOT NULL))
    );
    CREATE INDEX write_offs_open ON write_offs (book_id, account_id, id) WHERE status IN ('proposed', 'approved');

    ALTER TABLE inbound_transfers ADD COLUMN write_off_id uuid;

    ALTER TABLE bank_matches
      DROP CONSTRAINT bank_matches_difference_to,
      ADD CONSTRAINT bank_matches_difference_to CHECK (${difference([...BEFORE, 'credit_losses'])}) NOT VALID;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE bank_matches
      DROP CONSTRAINT bank_matches_difference_to,
      ADD CONSTRAINT bank_matches_difference_to CHECK (${difference(BEFORE)}) NOT VALID;
    ALTER TABLE inbound_transfers DROP COLUMN write_off_id;
    DROP TABLE write_offs;
  `);
}
