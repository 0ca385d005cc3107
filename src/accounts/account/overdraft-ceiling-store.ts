/** The largest overdraft limit of a book's accounts: set by the operator, read when an account is opened. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';

/** The ceilings of books for which none was set, in minor units. In live mode an overdraft is a credit risk. */
export const OVERDRAFT_CEILING_DEFAULTS: Readonly<Record<Mode, bigint>> = { test: 1_000_000_000_000n, live: 0n };

/** The id of the only row of overdraftCeilings. */
export const CEILING_ID = 'book';

/** Read-only for commands: the operator sets the ceiling outside of commands. Index: books_pkey. */
export const overdraftCeilings = derivedTable<bigint>({
  name: 'overdraft_ceilings',
  async load(trx, bookId) {
    const ceiling = await readOverdraftCeiling(trx, bookId);
    return new Map(ceiling === undefined ? [] : [[CEILING_ID, ceiling]]);
  },
});

/** The ceiling in minor units. Undefined for a book that does not exist. */
export async function readOverdraftCeiling(db: Queryable, bookId: BookId): Promise<bigint | undefined> {
  const { rows } = await db.query<{ mode: Mode; overdraft_ceiling: bigint | null }>({
    name: 'books.overdraft_ceiling',
    text: 'SELECT mode, overdraft_ceiling FROM books WHERE id = $1',
    values: [bookId],
  });
  return rows[0] && (rows[0].overdraft_ceiling ?? OVERDRAFT_CEILING_DEFAULTS[rows[0].mode]);
}

/** Sets the ceiling, in minor units. Existing accounts keep their limit. False for a book that does not exist. */
export async function setOverdraftCeiling(db: Queryable, bookId: BookId, ceiling: bigint): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE books SET overdraft_ceiling = $2 WHERE id = $1', [bookId, ceiling]);
  return rowCount === 1;
}
