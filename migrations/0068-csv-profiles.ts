/**
 * Profiles of CSV files of banks, and which of them a run reads its file by: the same bytes are another run by another profile or for another
 * bank account. The index on the file's digest is made anew over all three; runs are few.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE csv_profiles (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      name text NOT NULL,
      delimiter text NOT NULL,
      encoding text NOT NULL,
      skip integer NOT NULL,
      columns jsonb NOT NULL,
      decimal_sign text NOT NULL,
      group_sign text,
      date_format text NOT NULL,
      request_id uuid NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id)
    );

    ALTER TABLE reconciliations ADD COLUMN bank_account_id uuid, ADD COLUMN profile_id uuid;
    DROP INDEX reconciliations_by_sha256;
    CREATE UNIQUE INDEX reconciliations_by_sha256 ON reconciliations (book_id, sha256,
      COALESCE(bank_account_id, '00000000-0000-0000-0000-000000000000'),
      COALESCE(profile_id, '00000000-0000-0000-0000-000000000000')) WHERE sha256 IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX reconciliations_by_sha256;
    ALTER TABLE reconciliations DROP COLUMN bank_account_id, DROP COLUMN profile_id;
    CREATE UNIQUE INDEX reconciliations_by_sha256 ON reconciliations (book_id, sha256) WHERE sha256 IS NOT NULL;
    DROP TABLE csv_profiles;
  `);
}
