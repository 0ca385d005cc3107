/** Sums of account lines. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { LogBehind } from '../../ledger/journal/effective-log-store.ts';
import type { Uuid } from '../../values/ids.ts';

/** Lines of an account: those behind `after`, up to `through`. */
export interface LineRange {
  readonly id: Uuid;
  readonly after: bigint;
  readonly through: bigint;
}

export interface Moved {
  readonly id: Uuid;
  readonly debits: bigint;
  readonly credits: bigint;
}

const side = (name: 'debit' | 'credit') => `COALESCE((SELECT sum(amount) FROM postings
    WHERE book_id = $1 AND ${name}_account_id = r.id AND ${name}_line > r.after AND ${name}_line <= r.through), 0)::bigint`;

/** What lines moved on each side. Reads as many lines as the ranges have. Indexes: postings' (book, account, line). */
export async function sumLines(db: Queryable, bookId: BookId, ranges: readonly LineRange[]): Promise<Moved[]> {
  const { rows } = await db.query<Moved>({
    name: 'postings.moved',
    text: `SELECT r.id, ${side('debit')} AS debits, ${side('credit')} AS credits
      FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS r (id, after, through)`,
    values: [
      bookId,
      plainArray(ranges.map(({ id }) => id)),
      plainArray(ranges.map(({ after }) => after)),
      plainArray(ranges.map(({ through }) => through)),
    ],
  });
  return rows;
}

/**
 * What lines of other days add to that, and take from it: those that take effect from `from` to `to` and were posted on another day, less those
 * posted then that take effect on another one, of lines behind one of each account. On the account's own side: `up` is what raises it. Index:
 * effective_lines_pkey.
 */
export async function sumEffectiveLines(
  db: Queryable,
  bookId: BookId,
  behind: readonly LogBehind[],
  { from, to, sequence }: { readonly from: string; readonly to: string; readonly sequence: bigint },
): Promise<{ readonly id: Uuid; readonly up: bigint; readonly down: bigint }[]> {
  const { rows } = await db.query<{ id: Uuid; up: bigint; down: bigint }>({
    name: 'effective_lines.moved',
    text: `SELECT w.id, COALESCE(sum(l.sign * l.change) FILTER (WHERE l.change > 0), 0)::bigint AS up,
        COALESCE(sum(l.sign * -l.change) FILTER (WHERE l.change < 0), 0)::bigint AS down
      FROM unnest($2::uuid[], $6::bigint[]) AS w (id, line), LATERAL (
        SELECT change, CASE WHEN effective_on >= $3 AND effective_on <= $4 THEN 1 ELSE -1 END AS sign FROM effective_lines
        WHERE book_id = $1 AND account_id = w.id AND line > w.line AND entry_sequence <= $5
          AND (effective_on >= $3 AND effective_on <= $4) <> (posted_on >= $3 AND posted_on <= $4) OFFSET 0
      ) AS l GROUP BY w.id`,
    values: [
      bookId,
      plainArray(behind.map(({ id }) => id)),
      from,
      to,
      sequence,
      plainArray(behind.map(({ line }) => line)),
    ],
  });
  return rows;
}
