/**
 * How far below zero accounts of a book may be allowed to go. Null stands for the code's limit of the book's mode
 * (nothing in live mode), so that the release before can still make books. Existing books keep at least the largest
 * limit that one of their accounts has. Keys that may open accounts may still open them with an overdraft, which now
 * has a scope of its own.
 */
import type { Knex } from 'knex';

/**
 * Every commit begins at `books`, so its lock is released before all accounts are read. Each statement can be run
 * again.
 */
export const config = { transaction: false };

export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE books ADD COLUMN IF NOT EXISTS overdraft_ceiling bigint CHECK (overdraft_ceiling >= 0)');
  await knex.raw(`
    UPDATE books SET overdraft_ceiling = used.largest
    FROM (SELECT book_id, -min(floor) AS largest FROM accounts WHERE code = 'customer' AND floor < 0 GROUP BY book_id) AS used
    WHERE books.id = used.book_id AND (books.mode = 'live' OR used.largest > 1000000000000)`);
  await knex.raw(`
    UPDATE api_keys SET scopes = array_append(scopes, 'accounts:overdraft')
    WHERE 'accounts:write' = ANY (scopes) AND NOT 'accounts:overdraft' = ANY (scopes)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE books DROP COLUMN overdraft_ceiling');
}
