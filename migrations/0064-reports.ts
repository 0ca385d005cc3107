/**
 * Entries by the day on which they take effect: an export reads a day's, also where they were posted on other days. `effective_lines` has rows of
 * such entries alone.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS effective_lines_by_effect ON effective_lines (book_id, effective_on, entry_sequence)
      WHERE effective_on IS NOT NULL`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS effective_lines_by_effect');
}
