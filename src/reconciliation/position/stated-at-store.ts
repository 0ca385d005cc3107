/** What banks had stated of the end of a day when it was closed: the same figures whenever they are read. */
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export interface StatedAt {
  readonly bankAccountId: Uuid;
  readonly ledgerAccountId: Uuid;
  readonly currency: string;
  readonly statementId: Uuid | null;
  readonly statedThrough: string | null;
  /** What the statement closes with, less the lines behind the day. Null where it states no balance. */
  readonly stated: bigint | null;
}

interface ClosedDays {
  readonly through: string;
  /** The last entry of the period: statements that were posted behind it do not count. */
  readonly throughSequence: bigint;
  readonly closedAt: Instant;
}

/** Whether the statement `s` was posted by then. One that was restated since was the posted one. */
const POSTED_BY_THEN = `s.status IN ('posted', 'restated') AND s.created_at <= $4 AND s.to_on IS NOT NULL AND NOT EXISTS (
    SELECT FROM entries e WHERE e.book_id = s.book_id AND e.resource_id = s.id AND e.sequence > $3)`;

/**
 * Bank accounts from the day of their opening on. Of statements of the same day the one with the last entry is the last. What is read grows with what
 * was posted since the day. Indexes: bank_accounts_pkey, bank_statements_by_day, entries' (book, resource, step), bank_lines_of_statement.
 */
export async function readStatedAt(
  db: Queryable,
  bookId: BookId,
  { through, throughSequence, closedAt }: ClosedDays,
): Promise<StatedAt[]> {
  const { rows } = await db.query<StatedAt>(
    `SELECT b.id AS "bankAccountId", b.ledger_account_id AS "ledgerAccountId", b.currency,
       l.id AS "statementId", l.to_on AS "statedThrough", l.closing - COALESCE((
         SELECT sum(n.amount) FROM bank_statements s JOIN bank_lines n ON n.book_id = s.book_id AND n.statement_id = s.id
         WHERE s.book_id = b.book_id AND s.bank_account_id = b.id AND s.to_on > $2 AND ${POSTED_BY_THEN}
           AND n.status <> 'pending' AND n.booked_on > $2), 0)::bigint AS stated
     FROM bank_accounts b
     LEFT JOIN LATERAL (
       SELECT s.id, s.to_on, s.closing FROM bank_statements s
       WHERE s.book_id = b.book_id AND s.bank_account_id = b.id AND ${POSTED_BY_THEN}
       ORDER BY s.to_on DESC, (SELECT max(e.sequence) FROM entries e WHERE e.book_id = s.book_id AND e.resource_id = s.id) DESC NULLS LAST,
         s.id DESC LIMIT 1
     ) AS l ON true
     WHERE b.book_id = $1 AND b.opening_on <= $2 AND b.created_at <= $4 ORDER BY b.id`,
    [bookId, through, throughSequence, new Date(closedAt)],
  );
  return rows;
}
