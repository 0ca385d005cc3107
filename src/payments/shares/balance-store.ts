import type { RowOf } from '../../db/declared-columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Uuid } from '../../values/ids.ts';
import { linesOf } from './line-list-store.ts';
import type { ShareKind } from './share.ts';
import { shareLines } from './share-table.ts';

export interface WaitingAmount {
  readonly currency: string;
  readonly kind: ShareKind;
  readonly isReserve: boolean;
  readonly availableOn: string;
  readonly amount: bigint;
}

/** What waits for its release, by currency and day. Index: payment_shares_open. */
export async function sumOpenShares(
  db: Queryable,
  bookId: BookId,
  { accountId }: { accountId?: Uuid | undefined },
): Promise<WaitingAmount[]> {
  const { rows } = await db.query<RowOf<WaitingAmount>>(
    `SELECT currency, kind, is_reserve, available_on, sum(amount)::bigint AS amount FROM payment_shares
     WHERE book_id = $1 AND status = 'open' AND ($2::uuid IS NULL OR account_id = $2)
     GROUP BY currency, kind, is_reserve, available_on HAVING sum(amount) > 0`,
    [bookId, accountId ?? null],
  );
  return rows.map(({ available_on: availableOn, is_reserve: isReserve, ...row }) => ({
    ...row,
    availableOn,
    isReserve,
  }));
}

/** A page of the lines of a share in one of its rounds: those of one release. Index: payment_share_lines_by_share. */
export const listShareLines = linesOf(shareLines, ['share_id', 'round']);
