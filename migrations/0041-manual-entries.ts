/**
 * Entries asked for by API, accounts of an organisation's own chart, reversals, and entries that take effect on another day than
 * they are posted on.
 *
 * `entries.reverses` and `entries.occurred_on` are null in every entry of before, and in those that release 0.2.0 writes. They are in
 * the hash of an entry where they are not null. What the API says of an entry beside the journal stands in `manual_entries`, under the
 * entry's id. `entry_reversals` has the reversal of an entry: a row a reversed entry, so that none is reversed twice.
 *
 * `effective_lines` has one row for each account line of an entry that takes effect on another day than it is posted on: the balance at
 * the end of an effective day is the posted one of that day with these added and taken off. Other entries have no row. Days are those
 * of the book's time zone, and are texts: YYYY-MM-DD.
 *
 * New columns are null and have no check, so the large tables are changed in the catalog alone, and every statement can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'ALTER TABLE entries ADD COLUMN IF NOT EXISTS reverses uuid, ADD COLUMN IF NOT EXISTS occurred_on text',
  );
  await knex.raw('ALTER TABLE books ADD COLUMN IF NOT EXISTS closed_through text');
  await knex.raw(`
    CREATE TABLE IF NOT EXISTS own_accounts (
      book_id uuid NOT NULL,
      account_id uuid NOT NULL,
      code text NOT NULL,
      name text NOT NULL,
      type text NOT NULL CHECK (type IN ('asset', 'liability', 'equity', 'income', 'expense')),
      currency text NOT NULL,
      external_id text,
      metadata jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, account_id),
      FOREIGN KEY (book_id, account_id) REFERENCES accounts (book_id, id)
    );
    -- Partial: a lookup by key has one index to choose from.
    CREATE UNIQUE INDEX IF NOT EXISTS own_accounts_by_code ON own_accounts (book_id, code, currency) WHERE code IS NOT NULL;

    CREATE TABLE IF NOT EXISTS manual_entries (
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      sequence bigint NOT NULL,
      actor text NOT NULL,
      external_id text,
      metadata jsonb,
      text_salt bytea,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      FOREIGN KEY (book_id, sequence) REFERENCES entries (book_id, sequence)
    );
    CREATE INDEX IF NOT EXISTS manual_entries_by_external_id ON manual_entries (book_id, external_id, sequence)
      WHERE external_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS manual_entries_in_order ON manual_entries (book_id, sequence) WHERE sequence IS NOT NULL;

    CREATE TABLE IF NOT EXISTS entry_reversals (
      book_id uuid NOT NULL,
      -- The entry that is reversed.
      entry_id uuid NOT NULL,
      reversal_id uuid NOT NULL,
      PRIMARY KEY (book_id, entry_id)
    );

    CREATE TABLE IF NOT EXISTS effective_lines (
      book_id uuid NOT NULL,
      account_id uuid NOT NULL,
      line bigint NOT NULL CHECK (line > 0),
      entry_sequence bigint NOT NULL,
      -- Of the posted balance, on the account's own side.
      change bigint NOT NULL,
      posted_on text NOT NULL,
      effective_on text NOT NULL CHECK (effective_on <> posted_on),
      PRIMARY KEY (book_id, account_id, line)
    );
    CREATE INDEX IF NOT EXISTS effective_lines_by_day ON effective_lines (book_id, account_id, effective_on, posted_on, change)
      WHERE effective_on IS NOT NULL;
  `);
  for (const table of ['manual_entries', 'entry_reversals', 'effective_lines'])
    await knex.raw(`
      CREATE OR REPLACE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change();`);
  // The owner's role erases metadata of an entry, and nothing of the other two.
  for (const table of ['entry_reversals', 'effective_lines'])
    await knex.raw(`
      CREATE OR REPLACE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION refuse_journal_change();`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS effective_lines, entry_reversals, manual_entries, own_accounts');
  await knex.raw('ALTER TABLE books DROP COLUMN IF EXISTS closed_through');
  await knex.raw('ALTER TABLE entries DROP COLUMN IF EXISTS reverses, DROP COLUMN IF EXISTS occurred_on');
}
