/** Runs that have ended with a statement whose bank account was not known. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/**
 * Those of which a statement has a bank account now: one was made that posts such messages, or the statement was taken up by a process that died
 * before it ended the run again. One that persons have rejected keeps its finding, and is left. Identifiers are compared as `plainIdentifier` makes
 * them. Indexes: reconciliations_without_account, bank_statements_pkey, bank_account_identifiers_pkey, bank_accounts_pkey.
 */
export async function findRunsToTakeUp(
  db: Queryable,
  bookId: BookId,
  { after, limit }: { readonly after: Uuid; readonly limit: number },
): Promise<Uuid[]> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'reconciliations.to_take_up',
    text: `SELECT r.id FROM reconciliations r
      WHERE r.book_id = $1 AND r.id > $2 AND r.status = 'completed' AND r.findings @> '[{"code": "bank_account_unknown"}]'
        AND EXISTS (
          SELECT FROM jsonb_array_elements(r.findings) AS f (finding)
          JOIN bank_statements s ON s.book_id = r.book_id AND s.id = (f.finding ->> 'statementId')::uuid
          WHERE f.finding ->> 'code' = 'bank_account_unknown'
            AND (NOT s.findings @> '[{"code": "bank_account_unknown"}]'
              OR s.status = 'held' AND NOT s.released AND s.bank_account_id IS NULL AND EXISTS (
                SELECT FROM bank_account_identifiers i
                JOIN bank_accounts a ON a.book_id = i.book_id AND a.id = i.bank_account_id
                WHERE i.book_id = s.book_id AND i.identifier = upper(regexp_replace(s.account, '\\s+', '', 'g'))
                  AND a.books_from = s.kind)))
      ORDER BY r.id LIMIT $3`,
    values: [bookId, after, limit],
  });
  return rows.map(({ id }) => id);
}
