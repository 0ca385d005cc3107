/**
 * References whose two ends are written in one commit are kept by that commit, not by a foreign key. The committer
 * locks the book's row and writes it with every batch, in a statement that fails when the row is missing. The account
 * of a hold is written in the same way. A posting is written with its entry, a step and a payout with their hold. A
 * foreign key looks each of them up once more, row by row: a fifth of Postgres' work to accept a payout, and a sixth of
 * a posted entry. `npm run verify` reports a row whose other end is missing.
 *
 * The accounts of a posting stay foreign keys (until 0010), since all else is checked against the journal. References
 * to rows from before the commit stay, too. So does the event of a delivery: results are recorded by an upsert outside
 * the committer, and a result that comes after a restore from a backup must not make a delivery of an event that is yet
 * to happen.
 */
import type { Knex } from 'knex';

const REFERENCES = [
  { table: 'entries', columns: 'book_id', to: 'books (id)' },
  { table: 'events', columns: 'book_id', to: 'books (id)' },
  { table: 'idempotency_keys', columns: 'book_id', to: 'books (id)' },
  { table: 'postings', columns: 'book_id, entry_sequence', to: 'entries (book_id, sequence)' },
  { table: 'holds', columns: 'book_id, account_id', to: 'accounts (book_id, id)' },
  { table: 'hold_steps', columns: 'book_id, hold_id', to: 'holds (book_id, id)' },
  { table: 'payouts', columns: 'book_id, hold_id', to: 'holds (book_id, id)' },
  { table: 'payouts', columns: 'book_id, account_id', to: 'accounts (book_id, id)' },
].map((reference) => ({ ...reference, name: `${reference.table}_${reference.columns.replaceAll(', ', '_')}_fkey` }));

export async function up(knex: Knex): Promise<void> {
  for (const { table, name } of REFERENCES) await knex.raw(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
}

export async function down(knex: Knex): Promise<void> {
  for (const { table, columns, to, name } of REFERENCES) {
    await knex.raw(`ALTER TABLE ${table} ADD CONSTRAINT ${name} FOREIGN KEY (${columns}) REFERENCES ${to}`);
  }
}
