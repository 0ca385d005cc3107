import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';

/** A closed account with a balance, and the part of it that waits for a person, as of one moment. */
export interface ClosedAccount {
  readonly id: Uuid;
  readonly currency: string;
  readonly balance: bigint;
  readonly waiting: bigint;
}

/** Reads a page of them. Index: accounts_by_status. An empty closed account is left out, and most are. */
export function readClosedAccounts(
  db: Queryable,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<ClosedAccount[]> {
  return read(db, {
    name: 'verify.closed_accounts',
    which: "a.id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY a.id LIMIT $3",
    values: [bookId, page.after ?? null, page.limit],
  });
}

/** The same by id, or by that of an exception. Ids of other rows are skipped. Indexes: accounts_pkey, exceptions_pkey. */
export function readClosedAccountsById(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<ClosedAccount[]> {
  return read(db, {
    name: 'verify.closed_accounts_by_id',
    which: `a.id IN (
      SELECT unnest($2::uuid[]) UNION SELECT account_id FROM exceptions WHERE book_id = $1 AND id = ANY ($2::uuid[])
    ) ORDER BY a.id`,
    values: [bookId, plainArray(ids)],
  });
}

/**
 * One statement. The waiting amounts are those of exceptions that no entry has moved and nobody has ended. Exceptions
 * from before they had stages name no account: their payout does, and the amount returned of it; an ended one counts, since
 * nothing could move its money. OFFSET 0: docs/decisions/kept-plans.md.
 */
async function read(
  db: Queryable,
  { name, which, values }: { name: string; which: string; values: readonly unknown[] },
): Promise<ClosedAccount[]> {
  const { rows } = await db.query<{ id: Uuid; currency: string; balance: bigint; waiting: bigint }>({
    name,
    text: `WITH closed AS MATERIALIZED (
        SELECT a.id, a.currency, a.posted_credits - a.posted_debits AS balance FROM accounts a
        WHERE a.book_id = $1 AND a.status = 'closed' AND a.posted_credits > a.posted_debits AND ${which}
      ), waiting AS (
        SELECT coalesce(e.account_id, p.account_id) AS account_id, sum(coalesce(e.amount, p.amount_returned)) AS amount
        FROM exceptions e LEFT JOIN LATERAL (SELECT account_id, amount_returned FROM payouts
          WHERE book_id = $1 AND id = e.resource_id AND e.account_id IS NULL OFFSET 0) p ON true
        WHERE e.book_id = $1 AND e.entry_ids = '[]' AND (e.account_id IS NULL AND e.kind = 'return_to_closed_account' OR e.account_id IS NOT NULL AND e.status = 'open')
          AND EXISTS (SELECT FROM closed)
        GROUP BY 1
      )
      SELECT c.id, c.currency, c.balance::bigint AS balance, coalesce(w.amount, 0)::bigint AS waiting
      FROM closed c LEFT JOIN waiting w ON w.account_id = c.id ORDER BY c.id`,
    values: [...values],
  });
  return rows;
}
