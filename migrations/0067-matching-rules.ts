/**
 * Versions of matching rules of bank accounts, the version that each match was made by, and what shows that an expected item is overdue. The table is
 * new; the columns have no value or a constant, so nothing is rewritten. Money of the operator's own may be where a difference is booked: the check
 * holds for what is written from now on.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bank_account_rules (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      bank_account_id uuid NOT NULL,
      -- Counts from 1 in its bank account.
      number integer NOT NULL CHECK (number > 0),
      status text NOT NULL CHECK (status IN ('draft', 'active', 'retired')),
      tolerances jsonb NOT NULL,
      bookings jsonb NOT NULL,
      drafted_by text NOT NULL,
      activated_by text,
      activated_at timestamptz(3),
      retired_at timestamptz(3),
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, bank_account_id) REFERENCES bank_accounts (book_id, id),
      CHECK ((status = 'draft') = (activated_by IS NULL))
    );
    CREATE INDEX bank_account_rules_by_account ON bank_account_rules (book_id, bank_account_id, id)
      WHERE bank_account_id IS NOT NULL;

    ALTER TABLE bank_accounts
      ADD COLUMN rules_id uuid,
      ADD COLUMN rules_version integer,
      ADD COLUMN rules_drafted integer NOT NULL DEFAULT 0;

    ALTER TABLE bank_matches
      ADD COLUMN rules_version integer,
      DROP CONSTRAINT bank_matches_difference_to_check,
      ADD CONSTRAINT bank_matches_difference_to
        CHECK (difference_to IN ('rail_costs', 'bank_charges', 'differences', 'interest', 'own_funds')) NOT VALID;

    ALTER TABLE expected_items ADD COLUMN exception_id uuid;
    CREATE INDEX expected_items_unmatched ON expected_items (book_id, id) WHERE status <> 'matched';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX expected_items_unmatched;
    ALTER TABLE expected_items DROP COLUMN exception_id;
    ALTER TABLE bank_matches DROP COLUMN rules_version, DROP CONSTRAINT bank_matches_difference_to,
      ADD CONSTRAINT bank_matches_difference_to_check
        CHECK (difference_to IN ('rail_costs', 'bank_charges', 'differences', 'interest')) NOT VALID;
    ALTER TABLE bank_accounts DROP COLUMN rules_id, DROP COLUMN rules_version, DROP COLUMN rules_drafted;
    DROP TABLE bank_account_rules;
  `);
}
