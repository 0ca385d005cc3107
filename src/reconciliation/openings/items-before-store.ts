/** Items that were expected before the opening of the bank account that cuts over their party. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ExpectedItem } from '../items/expected-item.ts';
import { expectedItems } from '../items/expected-item-table.ts';

/**
 * Each cut-over with the items of its party that are open and expected before it, those that the opening names left out. What is closed is no longer
 * in the index, and an opening names at most 1,000: a round reads no more than these. Indexes: party_cut_overs_pkey, accounts_pkey (an operator's
 * book has the accounts of its chart alone), expected_items_open.
 */
const BEFORE = `FROM party_cut_overs c
  JOIN bank_accounts b ON b.book_id = c.book_id AND b.id = c.bank_account_id
  JOIN accounts a ON a.book_id = c.book_id AND a.code IN ('rail_clearing', 'acquirer_clearing', 'unallocated')
    AND a.currency = c.currency
  CROSS JOIN LATERAL (
    SELECT * FROM expected_items
    WHERE book_id = c.book_id AND clearing_account_id = a.id AND status <> 'matched' AND expected_on < c.opening_on
      AND party IS NOT DISTINCT FROM c.party
      AND NOT b.outstanding_ids ? resource_id::text AND NOT COALESCE(b.outstanding ? end_to_end_id, false)
    LIMIT $2) AS i`;

export interface ItemBefore {
  readonly item: ExpectedItem;
  readonly bankAccountId: Uuid;
}

export async function listItemsBefore(
  db: Queryable,
  bookId: BookId,
  { bankAccountIds, limit }: { bankAccountIds: readonly Uuid[] | undefined; limit: number },
): Promise<ItemBefore[]> {
  const { rows } = await db.query<{ cut_by: Uuid }>(
    `SELECT c.bank_account_id AS cut_by, ${expectedItems.selected('i')} ${BEFORE}
     WHERE c.book_id = $1 AND ($3::uuid[] IS NULL OR c.bank_account_id = ANY ($3::uuid[]))
     ORDER BY i.expected_on, i.id LIMIT $2`,
    [bookId, limit, bankAccountIds === undefined ? null : plainArray(bankAccountIds)],
  );
  return rows.map((row) => ({ item: expectedItems.fromRow(row), bankAccountId: row.cut_by }));
}

/** The bank accounts that have items to close. */
export async function listAccountsWithItemsBefore(db: Queryable, bookId: BookId): Promise<Uuid[]> {
  const { rows } = await db.query<{ id: Uuid }>(
    `SELECT DISTINCT c.bank_account_id AS id ${BEFORE} WHERE c.book_id = $1`,
    [bookId, 1],
  );
  return rows.map(({ id }) => id);
}
