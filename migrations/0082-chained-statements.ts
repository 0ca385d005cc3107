/**
 * Statements of a bank account are a chain by their days. The account says how far the chain reaches, and how many statements are being posted: a
 * statement goes on where the account stands only while none is. Those that wait are read by account and day, those that are posted are already
 * (bank_statements_by_day).
 *
 * Release 0.2.0 knows none of these tables.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE bank_accounts ADD COLUMN chained_on text, ADD COLUMN under_way integer NOT NULL DEFAULT 0;
    UPDATE bank_accounts b SET
      chained_on = (SELECT max(s.to_on) FROM bank_statements s
        WHERE s.book_id = b.book_id AND s.bank_account_id = b.id AND s.released AND s.closing IS NOT NULL),
      under_way = (SELECT count(*) FROM bank_statements s
        WHERE s.book_id = b.book_id AND s.bank_account_id = b.id AND s.released AND s.status IN ('received', 'held'));
    CREATE INDEX bank_statements_waiting ON bank_statements (book_id, bank_account_id, to_on, id) WHERE status = 'held' AND NOT released;
    DROP INDEX bank_statements_open;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX bank_statements_waiting;
    CREATE INDEX bank_statements_open ON bank_statements (book_id, id) WHERE status = 'held' OR (status = 'received' AND released);
    ALTER TABLE bank_accounts DROP COLUMN chained_on, DROP COLUMN under_way;
  `);
}
