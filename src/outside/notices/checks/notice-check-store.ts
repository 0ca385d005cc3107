import type { Pool } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';

export interface NoticePlace {
  readonly rail: string;
  readonly id: Uuid;
}

export interface NoticeRow extends NoticePlace {
  readonly status: string;
  readonly dueAt: Instant | null;
  readonly stuckAt: Instant | null;
  /** The rail's report is stored with its payout. */
  readonly answered: boolean;
  /** An exception is open or resolved for the notice. */
  readonly excepted: boolean;
}

/**
 * Reads a page of a book's inbox, with the outcome of each notice. Indexes: the primary keys, exceptions_by_resource.
 */
export async function readNotices(
  pool: Pool,
  bookId: BookId,
  page: { after: NoticePlace | undefined; limit: number },
): Promise<NoticeRow[]> {
  const { rows } = await pool.query({
    name: 'verify.notices',
    text: `SELECT rail, id, status, due_at, stuck_at,
        EXISTS (SELECT FROM rail_answers a WHERE a.book_id = $1 AND a.id = n.id) OR CASE kind WHEN 'received' THEN EXISTS (
          SELECT FROM inbound_credits c WHERE c.book_id = $1 AND 'credit:' || c.id = n.end_to_end_id) ELSE false END AS answered,
        EXISTS (SELECT FROM exceptions e WHERE e.book_id = $1 AND e.resource_id = n.id AND e.resource = 'rail_notice') AS excepted
      FROM rail_notices n WHERE book_id = $1 AND (rail, id) > ($2, $3::uuid) ORDER BY rail, id LIMIT $4`,
    values: [bookId, page.after?.rail ?? '', page.after?.id ?? '00000000-0000-0000-0000-000000000000', page.limit],
  });
  return rows.map((row) => ({
    rail: row.rail,
    id: row.id,
    status: row.status,
    dueAt: row.due_at,
    stuckAt: row.stuck_at,
    answered: row.answered,
    excepted: row.excepted,
  }));
}
