/**
 * Matches of bank lines with expected items, what is matched of each line, and what a bank account states for them: its calendar, its window, who
 * pays and takes at it. The constants that rows get cost no rewrite, and the check on the status holds for what is written from now on.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE bank_accounts
      ADD COLUMN calendar text NOT NULL DEFAULT 'fri_sat',
      ADD COLUMN window_before integer NOT NULL DEFAULT 1,
      ADD COLUMN window_after integer NOT NULL DEFAULT 5,
      ADD COLUMN parties jsonb NOT NULL DEFAULT '[]';

    ALTER TABLE bank_lines
      -- Minor units, with the sign of the amount.
      ADD COLUMN matched bigint NOT NULL DEFAULT 0,
      ADD COLUMN match_ids jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN exception_id uuid,
      DROP CONSTRAINT bank_lines_status_check,
      ADD CONSTRAINT bank_lines_status CHECK (status IN ('pending', 'open', 'partly_matched', 'matched')) NOT VALID;
    CREATE INDEX bank_lines_unmatched ON bank_lines (book_id, bank_account_id, booked_on, id)
      WHERE status IN ('open', 'partly_matched');

    ALTER TABLE reconciliations
      ADD COLUMN matched integer NOT NULL DEFAULT 0,
      ADD COLUMN by_rule jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN open_lines integer NOT NULL DEFAULT 0,
      ADD COLUMN proposed integer NOT NULL DEFAULT 0;

    ALTER TABLE exceptions ADD COLUMN proposals jsonb NOT NULL DEFAULT '[]';

    CREATE TABLE bank_matches (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('proposed', 'confirmed', 'rejected', 'undone')),
      rule text NOT NULL,
      currency text NOT NULL,
      lines jsonb NOT NULL,
      items jsonb NOT NULL,
      difference bigint NOT NULL,
      difference_to text CHECK (difference_to IN ('rail_costs', 'bank_charges', 'differences', 'interest')),
      reason text,
      undo_reason text,
      text_salt bytea,
      proposed_by text,
      approved_by text,
      undone_by text,
      entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK ((difference = 0) = (difference_to IS NULL))
    ) WITH (fillfactor = 80);
    CREATE INDEX bank_matches_proposed ON bank_matches (book_id, id) WHERE status = 'proposed';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE bank_matches;
    ALTER TABLE exceptions DROP COLUMN proposals;
    ALTER TABLE reconciliations DROP COLUMN matched, DROP COLUMN by_rule, DROP COLUMN open_lines, DROP COLUMN proposed;
    DROP INDEX bank_lines_unmatched;
    ALTER TABLE bank_lines DROP COLUMN matched, DROP COLUMN match_ids, DROP COLUMN exception_id,
      DROP CONSTRAINT bank_lines_status, ADD CONSTRAINT bank_lines_status_check CHECK (status IN ('pending', 'open')) NOT VALID;
    ALTER TABLE bank_accounts DROP COLUMN calendar, DROP COLUMN window_before, DROP COLUMN window_after, DROP COLUMN parties;
  `);
}
