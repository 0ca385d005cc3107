/** Items of a book's own comparisons, each with the line of the account that it is. */
import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import type { ExpectedItem } from '../expected-item.ts';
import { expectedItems } from '../expected-item-table.ts';

export interface ComparedItem {
  readonly item: ExpectedItem;
  /** Null where the account has no such line. */
  readonly line: {
    readonly amount: bigint;
    readonly currency: string;
    /** Whether the account grew by it. */
    readonly isIn: boolean;
    readonly entryId: Uuid;
  } | null;
}

interface Row {
  readonly line_amount: bigint | null;
  readonly line_currency: string;
  readonly line_in: boolean;
  readonly line_entry_id: Uuid;
}

/** Indexes: expected_items_compared, accounts_pkey, postings' (book, account, line), entries_pkey. */
export async function readComparedItems(
  db: Queryable,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<ComparedItem[]> {
  const side = (direction: 'debit' | 'credit') => `SELECT p.amount, p.currency, p.entry_sequence, '${direction}' AS side
    FROM postings p WHERE p.book_id = $1 AND p.${direction}_account_id = i.clearing_account_id AND p.${direction}_line = i.pool_line`;
  const { rows } = await db.query<Row>(
    `SELECT ${expectedItems.selected('i')}, l.amount AS line_amount, l.currency AS line_currency, l.side = a.side AS line_in,
       e.id AS line_entry_id
     FROM (SELECT * FROM expected_items WHERE book_id = $1 AND clearing = 'account' AND id > $2 ORDER BY id LIMIT $3) AS i
     LEFT JOIN accounts a ON a.book_id = $1 AND a.id = i.clearing_account_id
     LEFT JOIN LATERAL (${side('debit')} UNION ALL ${side('credit')}) AS l ON true
     LEFT JOIN entries e ON e.book_id = $1 AND e.sequence = l.entry_sequence ORDER BY i.id`,
    [bookId, after, limit],
  );
  return rows.map((row) => ({
    item: expectedItems.fromRow(row),
    line:
      row.line_amount === null
        ? null
        : { amount: row.line_amount, currency: row.line_currency, isIn: row.line_in, entryId: row.line_entry_id },
  }));
}
