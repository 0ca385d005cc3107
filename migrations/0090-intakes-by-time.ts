/**
 * Parts of clearing files in the order in which they were last taken further: `npm run verify -- --since` checks the lines of those that moved
 * since. A part moves once for a hundred lines, so the index costs one entry for them. The table is of this release, so nothing waits. It is
 * partial, by what is true of every row and what Postgres does not know: no other statement reads it in the place of the primary key.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "CREATE INDEX clearing_intakes_by_time ON clearing_intakes (book_id, updated_at) WHERE updated_at > '-infinity'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX clearing_intakes_by_time');
}
