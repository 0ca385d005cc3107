/**
 * The movements that a bank states of one line, and matches of more items than one command touches: how many of them are taken, and what of them no
 * entry has booked yet. The constants that rows get cost no rewrite, and the check on the status holds for what is written from now on.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE bank_lines ADD COLUMN details jsonb NOT NULL DEFAULT '[]';

    ALTER TABLE bank_matches
      ADD COLUMN reserved integer,
      ADD COLUMN reserved_amount bigint NOT NULL DEFAULT 0,
      DROP CONSTRAINT bank_matches_status_check,
      ADD CONSTRAINT bank_matches_status
        CHECK (status IN ('proposed', 'reserving', 'confirmed', 'undoing', 'rejected', 'undone')) NOT VALID;
    CREATE INDEX bank_matches_moving ON bank_matches (book_id, id) WHERE status IN ('reserving', 'undoing');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX bank_matches_moving;
    ALTER TABLE bank_matches DROP COLUMN reserved, DROP COLUMN reserved_amount,
      DROP CONSTRAINT bank_matches_status,
      ADD CONSTRAINT bank_matches_status_check CHECK (status IN ('proposed', 'confirmed', 'rejected', 'undone')) NOT VALID;
    ALTER TABLE bank_lines DROP COLUMN details;
  `);
}
