/**
 * The release schedule of a book: null stands for that of the installation, so that the release before can still make books.
 * A share may be a reserve: part of what captures earned, which is released later than the rest.
 *
 * Every commit begins at `books`, so each statement is a transaction of its own, and can be run again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE books ADD COLUMN IF NOT EXISTS release_schedule jsonb');
  await knex.raw('ALTER TABLE payment_shares ADD COLUMN IF NOT EXISTS is_reserve boolean NOT NULL DEFAULT false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payment_shares DROP COLUMN IF EXISTS is_reserve');
  await knex.raw('ALTER TABLE books DROP COLUMN IF EXISTS release_schedule');
}
