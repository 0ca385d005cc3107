/**
 * Personal text apart from what is kept for long. Events (0021) and stored answers hold a reference in its place
 * (src/ledger/rows/personal-text.ts), which release 0.2.0 cannot read: it is written after the contract. Until then all new
 * columns but the salts stay null.
 *
 * `text_salt` hides the texts of an object behind their references. `text_references` names what a row may be filled with.
 * `erasures` says who erased what, and when it was finished. `evidence_sealed` takes the place of `evidence`.
 *
 * What may be null from now on is null once it is erased. Each statement changes the catalog alone, holds one table's lock
 * for a moment, and can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

/** Columns that may not be null in 0.2.0. */
const ERASABLE: readonly [table: string, column: string][] = [
  ['account_profiles', 'name'],
  ['account_profiles', 'metadata'],
  ['payouts', 'metadata'],
  ['webhook_endpoints', 'metadata'],
  ['payout_resolutions', 'evidence'],
];

const NEW_COLUMNS: readonly [table: string, column: string, type: string][] = [
  ['payouts', 'text_salt', 'bytea'],
  ['account_profiles', 'text_salt', 'bytea'],
  ['webhook_endpoints', 'text_salt', 'bytea'],
  ['idempotency_keys', 'text_references', 'text'],
  ['payout_resolutions', 'evidence_sealed', 'bytea'],
];

export async function up(knex: Knex): Promise<void> {
  for (const [table, column, type] of NEW_COLUMNS)
    await knex.raw(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column} ${type}`);
  for (const [table, column] of ERASABLE) await knex.raw(`ALTER TABLE ${table} ALTER COLUMN ${column} DROP NOT NULL`);
  await knex.raw(`
    CREATE TABLE IF NOT EXISTS personal_texts (
      book_id uuid NOT NULL,
      reference bytea NOT NULL CHECK (length(reference) = 32),
      object text NOT NULL,
      object_id uuid NOT NULL,
      -- The member of the view.
      field text NOT NULL,
      salt bytea NOT NULL,
      -- JSON.
      text text NOT NULL,
      PRIMARY KEY (book_id, reference)
    );
    CREATE INDEX IF NOT EXISTS personal_texts_by_object ON personal_texts (book_id, object_id) WHERE object_id IS NOT NULL;

    CREATE TABLE IF NOT EXISTS erasures (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      object text NOT NULL,
      object_id uuid NOT NULL,
      actor text NOT NULL,
      fields text[] NOT NULL,
      begun_at timestamptz(3) NOT NULL,
      finished_at timestamptz(3),
      PRIMARY KEY (book_id, id)
    );
    CREATE INDEX IF NOT EXISTS erasures_by_object ON erasures (book_id, object_id) WHERE object_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE erasures, personal_texts');
  for (const [table, column] of ERASABLE) await knex.raw(`ALTER TABLE ${table} ALTER COLUMN ${column} SET NOT NULL`);
  for (const [table, column] of NEW_COLUMNS) await knex.raw(`ALTER TABLE ${table} DROP COLUMN ${column}`);
}
