/**
 * The inbox of notices: every statement over rail_notices and foreign_notices that the workers run. The column `rail`
 * has the name of the party, whatever its kind.
 *
 * An inbox fills before Postgres has statistics of its rows. So each statement has one possible plan: each row is
 * looked up by its key, which LIMIT 1 enforces, and written where it was found; columns whose index must not be used
 * are compared as expressions. A book beside a row's place is one: statistics of an hour ago do not know today's book, expect one row
 * of it, and its index then looks as good as the place (5,001 notices in rounds of a hundred read 525,112 rows). Tried: joins with
 * the list of a round, which read the whole inbox for every hundred of its notices (6,000 notices: 505 ms to claim a hundred, 79 ms to record them, and every other book waited).
 */

import { byteaArray, column, instantArray, plainArray, textArray } from '../../db/columns.ts';
import type { Pool } from '../../db/pool.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Inbox, StoredNotice } from './notice.ts';

/** Those of these books that exist. Index: books_pkey. */
export async function knownBooks(pool: Pool, bookIds: readonly BookId[]): Promise<Set<BookId>> {
  const { rows } = await pool.query<{ id: BookId }>('SELECT id FROM books WHERE id = ANY ($1::uuid[])', [
    plainArray(bookIds),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Puts a book's notices into the inbox, due at once. Known ones are not changed. Resolves to how many are new. Index: rail_notices_pkey. */
export async function copyNotices(
  pool: Pool,
  { bookId, party }: Inbox,
  notices: readonly StoredNotice[],
  now: Instant,
): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'rail_notices.copy',
    text: `INSERT INTO rail_notices (book_id, rail, id, end_to_end_id, kind, amount, code, reference, confirmed_amount,
        confirmed_currency, confirmed_payee_sealed, notice, told_at, status, next_attempt_at, due_at, created_at, updated_at)
      SELECT $1, $2, told.*, 'waiting', $14, $14, $14, $14
      FROM unnest($3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::text[],
          $11::bytea[], $12::jsonb[], $13::timestamptz[])
        AS told (id, end_to_end_id, kind, amount, code, reference, confirmed_amount, confirmed_currency,
          confirmed_payee_sealed, notice, told_at)
      ON CONFLICT DO NOTHING`,
    values: [
      bookId,
      party,
      plainArray(column(notices, (row) => row.id)),
      textArray(column(notices, (row) => row.endToEndId)),
      textArray(column(notices, (row) => row.kind)),
      plainArray(column(notices, (row) => row.amount)),
      textArray(column(notices, (row) => row.code)),
      textArray(column(notices, (row) => row.reference)),
      plainArray(column(notices, (row) => row.confirmedAmount)),
      textArray(column(notices, (row) => row.confirmedCurrency)),
      byteaArray(column(notices, (row) => row.confirmedPayeeSealed)),
      textArray(column(notices, (row) => row.evidence)),
      instantArray(column(notices, (row) => row.sentAt)),
      new Date(now),
    ],
  });
  return rowCount!;
}

/** Stores notices about books that are not ours, in a book of the operator's. Index: foreign_notices_pkey. */
export async function keepForeignNotices(
  pool: Pool,
  { bookId, party }: Inbox,
  notices: readonly { id: Uuid; originator: string; evidence: string }[],
  now: Instant,
): Promise<void> {
  await pool.query(
    `INSERT INTO foreign_notices (rail, id, originator, notice, created_at, book_id)
     SELECT $1, given.*, $5, $6 FROM unnest($2::uuid[], $3::text[], $4::jsonb[]) AS given ON CONFLICT DO NOTHING`,
    [
      party,
      plainArray(notices.map(({ id }) => id)),
      textArray(notices.map(({ originator }) => originator)),
      textArray(notices.map(({ evidence }) => evidence)),
      new Date(now),
      bookId,
    ],
  );
}

/** Most rows in one statement of placeForeignNotices. */
const PLACED_MAX = 1_000;

/**
 * Gives foreign notices without a book this one. Such rows are about a rail of test books, from before the operator had books. Run by
 * the owner's role: the application only adds to the table.
 */
export async function placeForeignNotices(pool: Pool, bookId: BookId): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `WITH without AS MATERIALIZED (SELECT rail, id FROM foreign_notices WHERE book_id IS NULL LIMIT ${PLACED_MAX})
       UPDATE foreign_notices AS notice SET book_id = $1 FROM without WHERE notice.rail = without.rail AND notice.id = without.id`,
      [bookId],
    );
    if ((rowCount ?? 0) < PLACED_MAX) return;
  }
}

/** For the statements below: of two indexes of equal cost, Postgres then reads the one that gives the order. */
const BEGIN_WITHOUT_SORT = 'BEGIN; SET LOCAL enable_sort = off';

export interface ClaimedNotices {
  readonly ids: ReadonlySet<Uuid>;
  /** All waiting notices about the instructions of those claimed, due or not, in the order in which the party sent them. */
  readonly notices: readonly StoredNotice[];
}

/**
 * Claims the longest due rows of a book: no other worker gets them until the given time. Reads at most so many
 * notices. Indexes: rail_notices_due_by_book, rail_notices_by_payout.
 */
export function claimDueNotices(
  pool: Pool,
  { bookId, party }: Inbox,
  page: { now: Instant; until: Instant; claim: number; read: number },
): Promise<ClaimedNotices> {
  return inTransaction(
    pool,
    async (trx) => {
      const { rows: claimed } = await trx.query<{ id: Uuid; end_to_end_id: string }>(
        `WITH due AS (
           SELECT ctid AS place FROM rail_notices
           WHERE book_id = $1 AND rail || '' = $2 AND due_at <= $3 AND due_at IS NOT NULL AND stuck_at IS NULL
           ORDER BY due_at LIMIT $5 FOR NO KEY UPDATE SKIP LOCKED
         )
         UPDATE rail_notices SET due_at = $4 WHERE book_id IS NOT DISTINCT FROM $1 AND ctid = ANY (ARRAY (SELECT place FROM due))
         RETURNING id, end_to_end_id`,
        [bookId, party, new Date(page.now), new Date(page.until), page.claim],
      );
      if (claimed.length === 0) return { ids: new Set(), notices: [] };
      const endToEndIds = [...new Set(claimed.map((row) => row.end_to_end_id))];
      const { rows } = await trx.query<NoticeRow>(
        `SELECT notice.* FROM unnest($3::text[]) AS about (end_to_end_id) CROSS JOIN LATERAL (
           SELECT id, end_to_end_id, kind, amount, code, reference, confirmed_amount, confirmed_currency,
             confirmed_payee_sealed, notice::text AS evidence, status, attempts, stuck_at, told_at
           FROM rail_notices
           WHERE book_id = $1 AND rail = $2 AND end_to_end_id = about.end_to_end_id AND status = 'waiting'
           ORDER BY told_at, id LIMIT $4
         ) AS notice LIMIT $4`,
        [bookId, party, textArray(endToEndIds), page.read],
      );
      return { ids: new Set(claimed.map(({ id }) => id)), notices: rows.map(noticeFromRow) };
    },
    { begin: BEGIN_WITHOUT_SORT },
  );
}

interface NoticeRow {
  id: Uuid;
  end_to_end_id: string;
  kind: StoredNotice['kind'];
  amount: bigint | null;
  code: string | null;
  reference: string;
  confirmed_amount: bigint | null;
  confirmed_currency: string | null;
  confirmed_payee_sealed: Buffer | null;
  evidence: string;
  status: StoredNotice['status'];
  attempts: number;
  stuck_at: Instant | null;
  told_at: Instant;
}

function noticeFromRow(row: NoticeRow): StoredNotice {
  return {
    id: row.id,
    endToEndId: row.end_to_end_id,
    kind: row.kind,
    amount: row.amount,
    code: row.code,
    reference: row.reference,
    confirmedAmount: row.confirmed_amount,
    confirmedCurrency: row.confirmed_currency,
    confirmedPayeeSealed: row.confirmed_payee_sealed,
    evidence: row.evidence,
    status: row.status,
    attempts: row.attempts,
    stuckAt: row.stuck_at,
    sentAt: row.told_at,
  };
}

/** The results of a round's notices. */
export interface NoticeResults {
  /** Booked: the command is committed, now or earlier. */
  readonly taken: readonly Uuid[];
  /** Cannot be booked: an exception is open for a person. */
  readonly excepted: readonly Uuid[];
  /** Too early: attempted again later. */
  readonly postponed: readonly { id: Uuid; nextAttemptAt: Instant }[];
}

/**
 * Marks a round's rows in one statement. A row that another worker marked meanwhile, or is marking now, is left alone: it is due
 * again. Index: rail_notices_pkey.
 */
export async function recordNotices(
  pool: Pool,
  { bookId, party }: Inbox,
  { taken, excepted, postponed }: NoticeResults,
  now: Instant,
): Promise<void> {
  await pool.query(
    `WITH given AS (
       SELECT id, 'taken' AS status, NULL::timestamptz AS at FROM unnest($3::uuid[]) AS id
       UNION ALL SELECT id, 'exception', NULL FROM unnest($4::uuid[]) AS id
       UNION ALL SELECT id, 'waiting', at FROM unnest($5::uuid[], $6::timestamptz[]) AS postponed (id, at)
     ), found AS MATERIALIZED (
       SELECT notice.place, given.* FROM given CROSS JOIN LATERAL (
         SELECT ctid AS place FROM rail_notices
         WHERE book_id = $1 AND rail = $2 AND id = given.id AND status || '' = 'waiting' AND (given.at IS NULL OR stuck_at IS NULL)
         LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
       ) AS notice
     )
     UPDATE rail_notices AS notice SET status = made.status, attempts = notice.attempts + made.attempts, next_attempt_at = made.at,
       due_at = made.at, stuck_at = NULL, stuck_error = NULL, updated_at = $7
     FROM (SELECT place, status, at, (status = 'waiting')::integer AS attempts FROM found) AS made
     WHERE notice.book_id IS NOT DISTINCT FROM $1 AND notice.ctid = ANY (ARRAY (SELECT place FROM found)) AND notice.ctid = made.place`,
    [
      bookId,
      party,
      plainArray(taken),
      plainArray(excepted),
      plainArray(postponed.map(({ id }) => id)),
      instantArray(postponed.map(({ nextAttemptAt }) => nextAttemptAt)),
      new Date(now),
    ],
  );
}

/** Makes the notices about an instruction due now, because its outcome has become known. Index: rail_notices_by_payout. */
export async function makeNoticesDue(
  pool: Pool,
  { bookId, party }: Inbox,
  endToEndId: string,
  now: Instant,
): Promise<void> {
  await pool.query(
    `UPDATE rail_notices SET due_at = $4, next_attempt_at = $4
     WHERE book_id = $1 AND rail = $2 AND end_to_end_id = $3 AND status = 'waiting' AND stuck_at IS NULL`,
    [bookId, party, endToEndId, new Date(now)],
  );
}
