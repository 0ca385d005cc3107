/** Lines of several accounts with the entries that they are of, for the general ledger. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { LineRange } from './activity-store.ts';

export interface LedgerLine {
  readonly accountId: Uuid;
  readonly line: bigint;
  readonly direction: 'debit' | 'credit';
  readonly amount: bigint;
  readonly balanceAfter: bigint;
  readonly counterAccountId: Uuid;
  readonly entryId: Uuid;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly step: string;
  readonly postedAt: Instant;
  readonly effectiveAt: Instant;
  /** Of a line of the log of other days: the day of its effect. */
  readonly movedTo?: string;
}

const side = (one: 'debit' | 'credit', other: 'debit' | 'credit') => `
  SELECT ${one}_line AS line, '${one}' AS direction, amount, ${one}_balance_after AS balance_after, ${other}_account_id AS counter_account_id,
    entry_sequence FROM postings
  WHERE book_id = $1 AND ${one}_account_id = r.id AND ${one}_line > r.after AND ${one}_line <= r.through`;

/**
 * In the order of accounts and lines. Reads as many lines as the ranges have. Indexes: postings' (book, account, line), entries_pkey.
 */
export async function readLedgerLines(
  db: Queryable,
  bookId: BookId,
  ranges: readonly LineRange[],
): Promise<LedgerLine[]> {
  const { rows } = await db.query<LedgerLine>({
    name: 'postings.ledger',
    text: `SELECT r.id AS "accountId", l.line, l.direction, l.amount, l.balance_after AS "balanceAfter",
        l.counter_account_id AS "counterAccountId", e.id AS "entryId", e.resource, e.resource_id AS "resourceId", e.step,
        e.posted_at AS "postedAt", e.effective_at AS "effectiveAt"
      FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS r (id, after, through)
      CROSS JOIN LATERAL (${side('debit', 'credit')} UNION ALL ${side('credit', 'debit')}) AS l
      CROSS JOIN LATERAL (
        SELECT id, resource, resource_id, step, posted_at, effective_at FROM entries
        WHERE book_id = $1 AND sequence = l.entry_sequence LIMIT 1
      ) AS e ORDER BY r.id, l.line`,
    values: [
      bookId,
      plainArray(ranges.map(({ id }) => id)),
      plainArray(ranges.map(({ after }) => after)),
      plainArray(ranges.map(({ through }) => through)),
    ],
  });
  return rows;
}

/** Days, and the last entry that counts. */
interface OfDays {
  readonly from: string;
  readonly to: string;
  readonly sequence: bigint;
}

/** Those of these accounts that have lines of other days among the days. Index: effective_lines_in_order. */
export async function findWithOtherDays(
  db: Queryable,
  bookId: BookId,
  { ids, from, to, sequence }: OfDays & { readonly ids: readonly Uuid[] },
): Promise<Set<Uuid>> {
  const { rows } = await db.query<{ id: Uuid }>({
    name: 'effective_lines.with_other_days',
    text: `SELECT w.id FROM unnest($2::uuid[]) AS w (id) WHERE EXISTS (
        SELECT FROM effective_lines WHERE book_id = $1 AND account_id = w.id AND effective_on IS NOT NULL
          AND effective_on >= $3 AND effective_on <= $4 AND entry_sequence <= $5)`,
    values: [bookId, plainArray([...ids]), from, to, sequence],
  });
  return new Set(rows.map(({ id }) => id));
}

const otherSide = (one: 'debit' | 'credit', other: 'debit' | 'credit') => `
  SELECT '${one}' AS direction, amount, ${one}_balance_after AS balance_after, ${other}_account_id AS counter_account_id FROM postings
  WHERE book_id = $1 AND ${one}_account_id = $2 AND ${one}_line = w.line`;

const nextOf = (after: string) => `SELECT line, entry_sequence, effective_on FROM effective_lines
  WHERE book_id = $1 AND account_id = $2 AND effective_on IS NOT NULL AND effective_on <= $4 AND (effective_on, line) > ${after}
    AND entry_sequence <= $7`;
const FIRST_OF = 'ORDER BY effective_on, line LIMIT 1';

/**
 * Lines that take effect on one of the days and were posted on another one, in the order of these days. A page reads as many lines as
 * it has, each by a look into the index, also of a day with a million of them. Indexes: effective_lines_in_order, postings' (book, account, line), entries_pkey.
 */
export async function readOtherLines(
  db: Queryable,
  bookId: BookId,
  {
    id,
    from,
    to,
    sequence,
    after,
    limit,
  }: OfDays & {
    readonly id: Uuid;
    readonly after: { readonly day: string; readonly line: bigint };
    readonly limit: number;
  },
): Promise<LedgerLine[]> {
  const { rows } = await db.query<LedgerLine>({
    name: 'effective_lines.ledger',
    text: `WITH RECURSIVE steps AS (
        (${nextOf('($5::text, $6::bigint)')} AND effective_on >= $3 ${FIRST_OF})
        UNION ALL
        SELECT n.* FROM steps s CROSS JOIN LATERAL (${nextOf('(s.effective_on, s.line)')} ${FIRST_OF}) AS n
      ), w AS MATERIALIZED (SELECT * FROM steps LIMIT $8)
      SELECT $2::uuid AS "accountId", w.line, l.direction, l.amount, l.balance_after AS "balanceAfter",
        l.counter_account_id AS "counterAccountId", e.id AS "entryId", e.resource, e.resource_id AS "resourceId", e.step,
        e.posted_at AS "postedAt", e.effective_at AS "effectiveAt", w.effective_on AS "movedTo"
      FROM w
      CROSS JOIN LATERAL (${otherSide('debit', 'credit')} UNION ALL ${otherSide('credit', 'debit')} LIMIT 1) AS l
      CROSS JOIN LATERAL (
        SELECT id, resource, resource_id, step, posted_at, effective_at FROM entries
        WHERE book_id = $1 AND sequence = w.entry_sequence LIMIT 1
      ) AS e ORDER BY w.effective_on, w.line`,
    values: [bookId, id, from, to, after.day, after.line, sequence, limit],
  });
  return rows;
}
