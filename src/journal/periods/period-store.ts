import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Period, PeriodStatus } from './period.ts';
import { periods } from './period-table.ts';

/** A page of periods, newest first. Index: periods_pkey. */
export function listPeriods(
  db: Queryable,
  { bookId, statuses }: { readonly bookId: BookId; readonly statuses: readonly PeriodStatus[] | undefined },
  page: PageRequest,
): Promise<Page<Period>> {
  return listRows(db, { table: periods }, { bookId, filter: { equal: { status: statuses } }, page });
}

/** The close that is under way: one at a time. Index: periods_pending. */
export async function findPending(db: Queryable, bookId: BookId): Promise<Uuid | undefined> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'periods.pending',
    text: "SELECT id FROM periods WHERE book_id = $1 AND status = 'pending'",
    values: [bookId],
  });
  return rows[0]?.id;
}

/** How far the book has been verified by a close, also by one whose days are open again. */
export interface Verified {
  readonly sequence: bigint;
  readonly event: bigint;
}

/** Index: periods_verified. */
export async function findVerified(db: Queryable, bookId: BookId): Promise<Verified> {
  const { rows } = await db.query<Verified>({
    name: 'periods.verified',
    text: `SELECT through_sequence AS sequence, through_event AS event FROM periods
      WHERE book_id = $1 AND status IN ('closed', 'reopened') ORDER BY through_sequence DESC LIMIT 1`,
    values: [bookId],
  });
  return rows[0] ?? { sequence: 0n, event: 0n };
}

/**
 * The periods that an opening of the days behind `after` is about: those closed through a later one, and those that were opened down to the
 * last closed day in their midst. Null: all days are opened. Indexes: periods_closed, periods_reopened.
 */
export async function findBehind(
  db: Queryable,
  bookId: BookId,
  {
    after,
    closedThrough,
    limit,
  }: { readonly after: string | null; readonly closedThrough: string; readonly limit: number },
): Promise<Period[]> {
  const { rows } = await db.query({
    name: 'periods.behind',
    text: `SELECT ${periods.selected()} FROM (
        SELECT * FROM periods WHERE book_id = $1 AND status = 'closed' AND through_day > COALESCE($2, '')
        UNION ALL
        SELECT * FROM periods WHERE book_id = $1 AND reopened_after = $3
          AND (closed_before IS NULL OR closed_before < reopened_after)
      ) AS behind ORDER BY id DESC LIMIT $4`,
    values: [bookId, after, closedThrough, limit],
  });
  return rows.map((row) => periods.fromRow(row));
}

/** The hash of an entry as the journal has it. Index: entries_pkey. */
export async function findHash(db: Queryable, bookId: BookId, sequence: bigint): Promise<string | undefined> {
  const { rows } = await db.query<{ hash: Buffer }>({
    name: 'entries.hash',
    text: 'SELECT hash FROM entries WHERE book_id = $1 AND sequence = $2',
    values: [bookId, sequence],
  });
  return rows[0]?.hash.toString('hex');
}
