/**
 * Lines that take effect on other days, by account, day of effect and line: the general ledger reads them a page at a time in this order, also where
 * a million of them take effect on one day. It replaces the index by both days: balances by effect read the log by line, and totals
 * (docs/decisions/reports.md).
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS effective_lines_in_order ON effective_lines (book_id, account_id, effective_on, line)
      WHERE effective_on IS NOT NULL`,
  );
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS effective_lines_by_day');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `CREATE INDEX CONCURRENTLY IF NOT EXISTS effective_lines_by_day ON effective_lines (book_id, account_id, effective_on, posted_on, change)
      WHERE effective_on IS NOT NULL`,
  );
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS effective_lines_in_order');
}
