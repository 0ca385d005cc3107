/** Runs that have ended with a statement whose bank account was not known. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/**
 * Those of which a statement has a bank account now: one was made that posts such messages. What names an account that nobody has made is not looked
 * at, however much of it waits. One that persons have rejected keeps its finding, and is left; so is a run that a bug has stopped. `limit` is of each
 * name of an account: what is taken up is found no longer. Identifiers are compared as `plainIdentifier` makes them. Indexes: bank_accounts_pkey,
 * bank_account_identifiers_pkey, bank_statements_without_account, reconciliations_pkey.
 */
export async function findRunsToTakeUp(db: Queryable, bookId: BookId, limit: number): Promise<Uuid[]> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'reconciliations.to_take_up',
    text: String.raw`SELECT DISTINCT found.id FROM bank_account_identifiers i
      JOIN bank_accounts a ON a.book_id = i.book_id AND a.id = i.bank_account_id
      CROSS JOIN LATERAL (
        SELECT r.id FROM bank_statements s JOIN reconciliations r ON r.book_id = s.book_id AND r.id = s.reconciliation_id
        WHERE s.book_id = i.book_id AND upper(regexp_replace(s.account, '\s+', '', 'g')) = i.identifier AND s.kind = a.books_from
          AND s.status = 'held' AND NOT s.released AND s.bank_account_id IS NULL
          AND r.status = 'completed' AND r.stuck_at IS NULL
        ORDER BY s.id LIMIT $2) AS found
      WHERE i.book_id = $1 ORDER BY found.id`,
    values: [bookId, limit],
  });
  return rows.map(({ id }) => id);
}
