/**
 * Totals behind the journal: what each block of 10,000 entries moved on each account, by the day of effect, and the same of ten blocks each. The
 * rows are derived and only added; nothing waits, since the table is new.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE journal_totals (
      book_id uuid NOT NULL,
      -- A block of level 0 has 10,000 entries; one of the next level ten of these.
      level smallint NOT NULL CHECK (level >= 0),
      -- Counts from 0.
      block bigint NOT NULL CHECK (block >= 0),
      account_id uuid NOT NULL,
      -- Of the book's time zone: YYYY-MM-DD.
      effective_on text NOT NULL,
      debits bigint NOT NULL CHECK (debits >= 0),
      credits bigint NOT NULL CHECK (credits >= 0),
      PRIMARY KEY (book_id, level, block, account_id, effective_on)
    );
    CREATE TRIGGER journal_totals_no_truncate BEFORE TRUNCATE ON journal_totals
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change();
    CREATE TRIGGER journal_totals_append_only BEFORE UPDATE OR DELETE ON journal_totals
      FOR EACH ROW EXECUTE FUNCTION refuse_journal_change();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE journal_totals');
}
