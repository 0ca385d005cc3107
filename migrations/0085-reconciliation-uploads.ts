/**
 * Runs over files that come by API: accepted first, then carried out by workers, so a run is due, has a lease and shows how far it is. A run that
 * matches again has no file. What failed may come again, so it is no longer in the index of bytes. Matches are read by the run that made them: what
 * a run has matched is counted from its matches, whichever process dies in between.
 *
 * Release 0.2.0 knows none of these tables.
 */
import type { Knex } from 'knex';

const BY_BYTES = `CREATE UNIQUE INDEX reconciliations_by_sha256 ON reconciliations (book_id, sha256,
      COALESCE(bank_account_id, '00000000-0000-0000-0000-000000000000'),
      COALESCE(profile_id, '00000000-0000-0000-0000-000000000000')) WHERE sha256 IS NOT NULL`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE reconciliations
      ALTER COLUMN sha256 DROP NOT NULL,
      ALTER COLUMN name DROP NOT NULL,
      ALTER COLUMN format DROP NOT NULL,
      ALTER COLUMN file_bytes DROP NOT NULL,
      -- The last booking day of lines that are matched again.
      ADD COLUMN through text,
      ADD COLUMN rules_version integer,
      ADD COLUMN mirrored_through bigint,
      ADD COLUMN digest bytea,
      ADD COLUMN failure text,
      ADD COLUMN progress_bytes bigint NOT NULL DEFAULT 0,
      ADD COLUMN progress_lines integer NOT NULL DEFAULT 0,
      -- Until when the worker that has it is believed to live.
      ADD COLUMN leased_until timestamptz(3),
      ADD COLUMN due_at timestamptz(3),
      ADD COLUMN stuck_at timestamptz(3),
      ADD COLUMN stuck_error text,
      DROP CONSTRAINT reconciliations_status_check,
      ADD CONSTRAINT reconciliations_status CHECK (status IN ('pending', 'running', 'completed', 'failed')) NOT VALID;
    DROP INDEX reconciliations_by_sha256;
    ${BY_BYTES} AND status <> 'failed';
    CREATE INDEX reconciliations_due ON reconciliations (due_at) WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX reconciliations_due_by_book ON reconciliations (status, book_id, due_at)
      WHERE due_at IS NOT NULL AND stuck_at IS NULL;
    CREATE INDEX reconciliations_stuck ON reconciliations (stuck_at) WHERE stuck_at IS NOT NULL;
    CREATE INDEX bank_matches_by_run ON bank_matches (book_id, request_id, id) WHERE proposed_by IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX bank_matches_by_run, reconciliations_due, reconciliations_due_by_book, reconciliations_stuck,
      reconciliations_by_sha256;
    DELETE FROM reconciliations WHERE status IN ('pending', 'failed') OR sha256 IS NULL;
    ALTER TABLE reconciliations
      DROP CONSTRAINT reconciliations_status,
      ADD CONSTRAINT reconciliations_status_check CHECK (status IN ('running', 'completed')) NOT VALID,
      DROP COLUMN through, DROP COLUMN rules_version, DROP COLUMN mirrored_through, DROP COLUMN digest,
      DROP COLUMN failure, DROP COLUMN progress_bytes, DROP COLUMN progress_lines, DROP COLUMN leased_until,
      DROP COLUMN due_at, DROP COLUMN stuck_at, DROP COLUMN stuck_error,
      ALTER COLUMN sha256 SET NOT NULL, ALTER COLUMN name SET NOT NULL, ALTER COLUMN format SET NOT NULL,
      ALTER COLUMN file_bytes SET NOT NULL;
    ${BY_BYTES};
  `);
}
