/**
 * Matches that people have undone: a run reads them, so that it confirms none of them again. The table is of this release and few matches are undone, so
 * nothing waits.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw("CREATE INDEX bank_matches_undone ON bank_matches (book_id, id) WHERE status = 'undone'");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX bank_matches_undone');
}
