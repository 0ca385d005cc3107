/**
 * Folders of files of banks: which process reads one, and until when it is believed to live. Nothing of it is money.
 *
 * Release 0.2.0 does not know this table.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bank_folders (
      book_id uuid NOT NULL,
      folder text NOT NULL,
      claimed_by uuid NOT NULL,
      claimed_until timestamptz(3) NOT NULL,
      PRIMARY KEY (book_id, folder)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bank_folders');
}
