/**
 * The hold of a purchase is written in the commit that writes the purchase, and its account is that of its card, which no command changes
 * and which is a foreign key still. Looking both up once more, row by row, is a part of each authorization (docs/decisions/foreign-keys.md).
 * `npm run verify` reports a purchase that names another hold than its last.
 */
import type { Knex } from 'knex';

const REFERENCES = [
  { columns: 'book_id, hold_id', to: 'holds (book_id, id)' },
  { columns: 'book_id, account_id', to: 'accounts (book_id, id)' },
].map((reference) => ({ ...reference, name: `transactions_${reference.columns.replaceAll(', ', '_')}_fkey` }));

export async function up(knex: Knex): Promise<void> {
  for (const { name } of REFERENCES) await knex.raw(`ALTER TABLE transactions DROP CONSTRAINT ${name}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const { columns, to, name } of REFERENCES)
    await knex.raw(`ALTER TABLE transactions ADD CONSTRAINT ${name} FOREIGN KEY (${columns}) REFERENCES ${to}`);
}
