/**
 * Expected items in the order in which they were made: their ids are derived, so lists go by their time. The predicates keep them from other plans, as
 * in 0006; Postgres drops one that says of a column that it is not null.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX expected_items_by_created ON expected_items (book_id, created_at, id) WHERE created_at > '-infinity';
    CREATE INDEX expected_items_unmatched_by_created ON expected_items (book_id, created_at, id)
      WHERE created_at > '-infinity' AND status <> 'matched';
    DROP INDEX expected_items_unmatched;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX expected_items_unmatched ON expected_items (book_id, id) WHERE status <> 'matched';
    DROP INDEX expected_items_by_created, expected_items_unmatched_by_created;
  `);
}
