/**
 * Lists of payouts, of their returns, and of accounts, each by an index in the order of the list: nobody reads the whole book for a page
 * (docs/decisions/bounded-lists.md). Lists with a filter on `created_at` walk an index in that order (src/db/walk.ts): ids have the
 * world's time, and a test book may be ahead of it. Partial, so that nothing else is read by them (0006).
 *
 * `payout_returns_by_time` serves the returns of a payout, newest first: a return's id is the rail's, and does not tell when
 * the return came. It takes the place of `payout_returns_by_payout`, which found the returns of a payout and nothing more:
 * release 0.2.0 finds them by the new index too.
 *
 * Built beside the running product, without a lock that keeps writers waiting. An interrupted build leaves an invalid index, which the
 * next run drops and builds again.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const INDEXES = {
  payouts_by_created: 'payouts (book_id, created_at, id) WHERE created_at IS NOT NULL',
  payouts_by_account: 'payouts (book_id, account_id, id) WHERE account_id IS NOT NULL',
  payout_returns_by_time: 'payout_returns (book_id, payout_id, created_at, id) WHERE payout_id IS NOT NULL',
  account_profiles_by_created: 'account_profiles (book_id, created_at, account_id) WHERE created_at IS NOT NULL',
};
const BEFORE = { payout_returns_by_payout: 'payout_returns (book_id, payout_id, id) WHERE payout_id IS NOT NULL' };

export async function up(knex: Knex): Promise<void> {
  await build(knex, INDEXES);
  await drop(knex, BEFORE);
}

export async function down(knex: Knex): Promise<void> {
  await build(knex, BEFORE);
  await drop(knex, INDEXES);
}

async function build(knex: Knex, indexes: Record<string, string>): Promise<void> {
  await drop(knex, indexes);
  for (const [name, on] of Object.entries(indexes)) await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
}

async function drop(knex: Knex, indexes: Record<string, string>): Promise<void> {
  for (const name of Object.keys(indexes)) await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
