/**
 * Which batch wrote a book last. A batch that is decided while the one before it is still committing is only right when
 * that one, and no other, comes to be: it writes the book where this column names it, and nowhere else.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE books ADD COLUMN batch_id uuid NOT NULL DEFAULT gen_random_uuid()');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE books DROP COLUMN batch_id');
}
