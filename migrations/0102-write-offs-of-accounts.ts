/** How many write-offs of an account have ended: the id of the next follows from it, so that two proposals at once are one. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "CREATE INDEX write_offs_ended ON write_offs (book_id, account_id) WHERE status IN ('booked', 'withdrawn')",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX write_offs_ended');
}
