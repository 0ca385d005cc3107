/** What a pack reads beside the journal. */
import { plainArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { Exception } from '../exceptions/exception.ts';
import { exceptions } from '../exceptions/exception-table.ts';
import type { Side } from '../ledger/account/account.ts';
import type { AccountCode } from '../ledger/account/account-code.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

/** Codes and sides of accounts. Index: accounts_pkey. */
export async function loadCodes(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<Map<Uuid, { readonly code: AccountCode; readonly side: Side }>> {
  const { rows } = await db.query<{ id: Uuid; code: AccountCode; side: Side }>({
    name: 'accounts.of_pack',
    text: 'SELECT id, code, side FROM accounts WHERE book_id = $1 AND id = ANY ($2::uuid[])',
    values: [bookId, plainArray(ids)],
  });
  return new Map(rows.map(({ id, ...of }) => [id, of]));
}

/**
 * Exceptions that were open at a moment, in the order of the lists: the same ones whenever they are read. Index: exceptions_in_order.
 */
export async function listOpenAt(
  db: Queryable,
  bookId: BookId,
  { at, after, limit }: { readonly at: Instant; readonly after: bigint; readonly limit: number },
): Promise<readonly { readonly place: bigint; readonly exception: Exception | null }[]> {
  const { rows } = await db.query<{ place: bigint; open: boolean }>({
    name: 'exceptions.open_at',
    text: `SELECT ${exceptions.selected()}, place, created_at <= $2 AND (resolved_at IS NULL OR resolved_at > $2) AS open
      FROM exceptions WHERE book_id = $1 AND place > $3 AND place > 0 ORDER BY place LIMIT $4`,
    values: [bookId, new Date(at), after, limit],
  });
  return rows.map((row) => ({ place: row.place, exception: row.open ? exceptions.fromRow(row) : null }));
}
