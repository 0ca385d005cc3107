/**
 * The mirror of all books' pools in the operator's book: ranges of lines with their entry, and how far each pool account is mirrored. The tables
 * are new, so nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE book_mirror (
      -- Of the operator's.
      book_id uuid NOT NULL,
      id uuid NOT NULL,
      of_book uuid NOT NULL,
      pool_account_id uuid NOT NULL,
      currency text NOT NULL,
      from_line bigint NOT NULL CHECK (from_line > 0),
      through_line bigint NOT NULL,
      day text NOT NULL,
      money_in bigint NOT NULL CHECK (money_in >= 0),
      money_out bigint NOT NULL CHECK (money_out >= 0),
      pool_balance bigint NOT NULL,
      items integer NOT NULL CHECK (items >= 0),
      sides jsonb NOT NULL,
      entry_ids jsonb NOT NULL,
      request_id uuid NOT NULL,
      version integer NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, id),
      CHECK (through_line >= from_line)
    );
    -- The range before each, and no line twice.
    CREATE UNIQUE INDEX book_mirror_by_line ON book_mirror (book_id, pool_account_id, through_line)
      WHERE pool_account_id IS NOT NULL;
    CREATE INDEX book_mirror_by_book ON book_mirror (book_id, of_book, id) WHERE of_book IS NOT NULL;

    CREATE TABLE mirrored_pools (
      book_id uuid NOT NULL,
      pool_account_id uuid NOT NULL,
      of_book uuid NOT NULL,
      currency text NOT NULL,
      line bigint NOT NULL CHECK (line > 0),
      balance bigint NOT NULL,
      PRIMARY KEY (book_id, pool_account_id)
    ) WITH (fillfactor = 50);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE mirrored_pools, book_mirror');
}
