/**
 * The batch that wrote a book last. A batch that is decided while the batch before it is still committing is right only
 * when that batch, and no other, commits. So a batch writes the book only where this column names the batch before it.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE books ADD COLUMN batch_id uuid NOT NULL DEFAULT gen_random_uuid()');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE books DROP COLUMN batch_id');
}
