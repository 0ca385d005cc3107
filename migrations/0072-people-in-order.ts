/**
 * People and services of an organisation in the order in which they were added: pages of GET /v1/people. A hundred people are many, so the
 * index is built at once. It is partial, by what is true of every row and what Postgres does not know: no other statement reads it in the
 * place of the primary key.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "CREATE INDEX people_by_time ON people (organisation_id, created_at, id) WHERE created_at > '-infinity'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX people_by_time');
}
