/**
 * A book's own comparison: files of banks and acquirers beside the lines of one of its accounts. Runs, statements, lines and matches name that
 * account instead of a bank account, items are lines of the account, and how far they are taken is a row. New columns cost no rewrite, and indexes
 * on them are partial: rows of the operator's books have none.
 */
import type { Knex } from 'knex';

const NOBODY = "'00000000-0000-0000-0000-000000000000'";
const BY_BYTES = `CREATE UNIQUE INDEX reconciliations_by_sha256 ON reconciliations (book_id, sha256,
      COALESCE(bank_account_id, ${NOBODY}), COALESCE(profile_id, ${NOBODY})`;
const UNLESS_FAILED = "WHERE sha256 IS NOT NULL AND status <> 'failed'";

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE reconciliations ADD COLUMN compared_account_id uuid;
    DROP INDEX reconciliations_by_sha256;
    ${BY_BYTES}, COALESCE(compared_account_id, ${NOBODY})) ${UNLESS_FAILED};

    ALTER TABLE bank_statements ADD COLUMN compared_account_id uuid;
    CREATE INDEX bank_statements_compared ON bank_statements (book_id, compared_account_id, to_on, id)
      WHERE compared_account_id IS NOT NULL;

    ALTER TABLE bank_lines
      ALTER COLUMN bank_account_id DROP NOT NULL,
      ADD COLUMN compared_account_id uuid;
    CREATE INDEX bank_lines_compared ON bank_lines (book_id, compared_account_id, id) WHERE compared_account_id IS NOT NULL;
    CREATE INDEX bank_lines_compared_alike ON bank_lines (book_id, compared_account_id, likeness)
      WHERE compared_account_id IS NOT NULL;
    CREATE INDEX bank_lines_compared_unmatched ON bank_lines (book_id, compared_account_id, booked_on, id)
      WHERE compared_account_id IS NOT NULL AND status IN ('open', 'partly_matched');

    ALTER TABLE expected_items
      DROP CONSTRAINT expected_items_clearing_check,
      ADD CONSTRAINT expected_items_clearing
        CHECK (clearing IN ('rail_clearing', 'acquirer_clearing', 'unallocated', 'account')) NOT VALID;
    CREATE INDEX expected_items_compared ON expected_items (book_id, id) WHERE clearing = 'account';
    CREATE INDEX expected_items_of_account ON expected_items (book_id, clearing_account_id, id) WHERE clearing = 'account';

    ALTER TABLE bank_matches ADD COLUMN compared_account_id uuid;

    CREATE TABLE compared_accounts (
      book_id uuid NOT NULL,
      account_id uuid NOT NULL,
      -- Of the account: the last one that is an item.
      line bigint NOT NULL,
      PRIMARY KEY (book_id, account_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE compared_accounts;
    DELETE FROM bank_matches WHERE compared_account_id IS NOT NULL;
    DELETE FROM expected_items WHERE clearing = 'account';
    DELETE FROM bank_lines WHERE compared_account_id IS NOT NULL;
    DELETE FROM bank_statement_identities i USING bank_statements s
      WHERE s.book_id = i.book_id AND s.id = i.statement_id AND s.compared_account_id IS NOT NULL;
    DELETE FROM bank_statements WHERE compared_account_id IS NOT NULL;
    DELETE FROM reconciliations WHERE compared_account_id IS NOT NULL;
    ALTER TABLE bank_matches DROP COLUMN compared_account_id;
    DROP INDEX expected_items_compared, expected_items_of_account, bank_lines_compared, bank_lines_compared_alike,
      bank_lines_compared_unmatched, bank_statements_compared, reconciliations_by_sha256;
    ALTER TABLE expected_items
      DROP CONSTRAINT expected_items_clearing,
      ADD CONSTRAINT expected_items_clearing_check CHECK (clearing IN ('rail_clearing', 'acquirer_clearing', 'unallocated')) NOT VALID;
    ALTER TABLE bank_lines DROP COLUMN compared_account_id, ALTER COLUMN bank_account_id SET NOT NULL;
    ALTER TABLE bank_statements DROP COLUMN compared_account_id;
    ALTER TABLE reconciliations DROP COLUMN compared_account_id;
    ${BY_BYTES}) ${UNLESS_FAILED};
  `);
}
