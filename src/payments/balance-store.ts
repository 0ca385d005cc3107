import { nounOf } from '../db/declared-columns.ts';
import type { Page, PageRequest } from '../db/page.ts';
import { pageOf } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { ShareKind, ShareLine } from './share.ts';
import { shareLines } from './share-table.ts';

export interface WaitingAmount {
  readonly currency: string;
  readonly kind: ShareKind;
  readonly availableOn: string;
  readonly amount: bigint;
}

/** What waits for its release, by currency and day. Index: payment_shares_open. */
export async function sumOpenShares(
  db: Queryable,
  bookId: BookId,
  { accountId }: { accountId?: Uuid | undefined },
): Promise<WaitingAmount[]> {
  const { rows } = await db.query<{ currency: string; kind: ShareKind; available_on: string; amount: bigint }>(
    `SELECT currency, kind, available_on, sum(amount)::bigint AS amount FROM payment_shares
     WHERE book_id = $1 AND status = 'open' AND ($2::uuid IS NULL OR account_id = $2)
     GROUP BY currency, kind, available_on HAVING sum(amount) > 0`,
    [bookId, accountId ?? null],
  );
  return rows.map(({ available_on, ...row }) => ({ ...row, availableOn: available_on }));
}

const lineFromRow = nounOf<ShareLine>(shareLines.columns);
const LINE_COLUMNS = shareLines.columns.map(({ name }) => name).join(', ');

/** A page of the lines of a share, the last ones first. Index: payment_share_lines_by_share. */
export async function listShareLines(
  db: Queryable,
  { bookId, shareId }: { bookId: BookId; shareId: Uuid },
  page: PageRequest,
): Promise<Page<ShareLine>> {
  const [operator, direction] = page.endingBefore === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
  const cursor = page.startingAfter ?? page.endingBefore;
  const bound = cursor === undefined ? '' : ` AND id ${operator} $4::uuid`;
  const { rows } = await db.query({
    name: `payment_share_lines.of_share_${direction.toLowerCase()}_${cursor === undefined ? 0 : 1}`,
    text: `SELECT ${LINE_COLUMNS} FROM payment_share_lines
      WHERE book_id = $1 AND share_id = $2${bound} ORDER BY id ${direction} LIMIT $3`,
    values: [bookId, shareId, page.limit + 1, ...(cursor === undefined ? [] : [cursor])],
  });
  return pageOf(rows.map(lineFromRow), page);
}
