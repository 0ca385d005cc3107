/**
 * Returns of a payout as children with a list of their own, and holds that increase.
 *
 * `payout_returns_by_time` serves the pages of that list, newest first: a return's id is the rail's, and does not tell when
 * the return came. It takes the place of `payout_returns_by_payout`, which found the returns of a payout and nothing more:
 * release 0.2.0 finds them by the new index too. Built beside the running product. An interrupted build leaves an invalid
 * index, which the next run drops and builds again.
 *
 * `hold_steps.kind` may be `increased`. Release 0.2.0 writes no such step. The constraint is replaced in a moment, and the
 * rows that exist are checked without a lock that keeps writers waiting.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

const KINDS = ['created', 'increased', 'captured', 'released', 'expired'];

const listOf = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(', ');

const allow = (kinds: readonly string[]) =>
  `ALTER TABLE hold_steps DROP CONSTRAINT IF EXISTS hold_steps_kind_check,
     ADD CONSTRAINT hold_steps_kind_check CHECK (kind IN (${listOf(kinds)})) NOT VALID`;

const VALIDATE = 'ALTER TABLE hold_steps VALIDATE CONSTRAINT hold_steps_kind_check';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(allow(KINDS));
  await knex.raw(VALIDATE);
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payout_returns_by_time');
  await knex.raw(
    `CREATE INDEX CONCURRENTLY payout_returns_by_time ON payout_returns (book_id, payout_id, created_at, id)
       WHERE payout_id IS NOT NULL`,
  );
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payout_returns_by_payout');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payout_returns_by_payout');
  await knex.raw(
    `CREATE INDEX CONCURRENTLY payout_returns_by_payout ON payout_returns (book_id, payout_id, id)
       WHERE payout_id IS NOT NULL`,
  );
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS payout_returns_by_time');
  await knex.raw(allow(KINDS.filter((kind) => kind !== 'increased')));
  await knex.raw(VALIDATE);
}
