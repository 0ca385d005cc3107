/** Collections of fees with what their entries moved. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

export interface CollectedFees {
  readonly id: Uuid;
  readonly bookId: BookId;
  readonly currency: string;
  readonly day: string;
  /** Minor units; negative on a day on which more was given back. */
  readonly amount: bigint;
  readonly tax: bigint;
  readonly taxBasisPoints: number;
  /** What its entry took from the account of fees. */
  readonly moved: bigint;
}

interface Among {
  readonly bookIds: readonly BookId[];
  /** Days of each book: the first and the last. */
  readonly from: string;
  readonly to: string;
  readonly currency?: string | undefined;
  /** Of one book: entries behind it do not count. Null: all count. */
  readonly sequence: bigint | null;
  readonly after: CollectedFees | undefined;
  readonly limit: number;
}

/** By book, day and currency. Indexes: fee_collections_by_day, entries' (book, resource, step), postings_pkey, accounts_pkey. */
export async function listCollectedFees(db: Queryable, among: Among): Promise<CollectedFees[]> {
  const { bookIds, from, to, currency = null, sequence, after, limit } = among;
  const { rows } = await db.query<CollectedFees>({
    name: 'fee_collections.collected',
    text: `SELECT c.id, c.book_id AS "bookId", c.currency, c.day, c.amount, c.tax, c.tax_basis_points AS "taxBasisPoints", e.moved
      FROM fee_collections c
      CROSS JOIN LATERAL (
        SELECT e.sequence, COALESCE(sum(CASE d.code WHEN 'due_operator' THEN p.amount ELSE -p.amount END), 0)::bigint AS moved
        FROM entries e
        LEFT JOIN postings p ON p.book_id = e.book_id AND p.entry_sequence = e.sequence
        LEFT JOIN accounts d ON d.book_id = p.book_id AND d.id = p.debit_account_id
        WHERE e.book_id = c.book_id AND e.resource_id = c.id GROUP BY e.sequence
      ) AS e
      WHERE c.book_id = ANY ($1::uuid[]) AND c.day BETWEEN $2 AND $3 AND ($4::text IS NULL OR c.currency = $4)
        AND ($5::bigint IS NULL OR e.sequence <= $5)
        AND ($6::uuid IS NULL OR (c.book_id, c.day, c.currency) > ($6, $7, $8))
      ORDER BY c.book_id, c.day, c.currency LIMIT $9`,
    values: [
      plainArray(bookIds),
      ...[from, to, currency, sequence],
      ...[after?.bookId ?? null, after?.day ?? null, after?.currency ?? null, limit],
    ],
  });
  return rows;
}

/** Books of a mode, by id. Index: books_pkey. */
export async function listBookPage(
  db: Queryable,
  mode: Mode,
  { after, limit }: { after: BookId; limit: number },
): Promise<BookId[]> {
  const { rows } = await db.query<{ id: BookId }>(
    'SELECT id FROM books WHERE mode = $1 AND id > $2 ORDER BY id LIMIT $3',
    [mode, after, limit],
  );
  return rows.map(({ id }) => id);
}
