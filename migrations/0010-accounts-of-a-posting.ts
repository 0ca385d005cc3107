/**
 * The two accounts of a posting cease to be foreign keys as well. The commit that writes a posting writes both of its
 * accounts, in a statement that fails when one is missing. The keys cost a fifth of the entries a second. While a
 * snapshot is held open (a dump, a long report), each look-up also visits every version that the account has had since,
 * once for each posting: after a minute, the account that all payouts pass took a quarter of what it had taken before.
 * `npm run verify` and the audit report a posting whose account is missing.
 */
import type { Knex } from 'knex';

const REFERENCES = ['debit_account_id', 'credit_account_id'].map((column) => ({
  column,
  name: `postings_book_id_${column}_fkey`,
}));

export async function up(knex: Knex): Promise<void> {
  for (const { name } of REFERENCES) await knex.raw(`ALTER TABLE postings DROP CONSTRAINT ${name}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const { column, name } of REFERENCES) {
    await knex.raw(
      `ALTER TABLE postings ADD CONSTRAINT ${name} FOREIGN KEY (book_id, ${column}) REFERENCES accounts (book_id, id)`,
    );
  }
}
