/** The log of lines that take effect on another day than they were posted on, of several accounts at once. */
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Uuid } from '../../values/ids.ts';
import type { BookId } from '../book/book.ts';

/** Of the end of a day: lines posted later that take effect by then count, and those posted by then that take effect later do not. */
const CHANGE = `COALESCE(sum(CASE WHEN effective_on <= $3 AND posted_on > $3 THEN change WHEN effective_on > $3 AND posted_on <= $3 THEN -change END)
  FILTER (WHERE entry_sequence <= $4), 0)::bigint`;

export interface LogOfAccount {
  readonly id: Uuid;
  /** How many lines it has, counted no further than one more than `most`. */
  readonly lines: number;
  /** What they add to the posted balance at the end of the day, on the account's own side. Of all of them only where these are not more. */
  readonly change: bigint;
}

const NEXT = `SELECT line, change, posted_on, effective_on, entry_sequence FROM effective_lines WHERE book_id = $1 AND account_id = w.id`;

/**
 * Reads up to `most` lines of each account, and one more, each by a look into the index: a limit on a range left the planner the way to read all
 * lines of the account and to sort them. Index: effective_lines_pkey.
 */
export async function sumLog(
  db: Queryable,
  bookId: BookId,
  {
    ids,
    day,
    sequence,
    most,
  }: { readonly ids: readonly Uuid[]; readonly day: string; readonly sequence: bigint; readonly most: number },
): Promise<LogOfAccount[]> {
  const { rows } = await db.query<LogOfAccount>({
    name: 'effective_lines.of_accounts',
    text: `SELECT w.id, l.lines, l.change FROM unnest($2::uuid[]) AS w (id) CROSS JOIN LATERAL (
        WITH RECURSIVE steps AS (
          (${NEXT} ORDER BY line LIMIT 1)
          UNION ALL
          SELECT n.* FROM steps s CROSS JOIN LATERAL (${NEXT} AND line > s.line ORDER BY line LIMIT 1) AS n
        )
        SELECT count(*)::integer AS lines, ${CHANGE} AS change FROM (SELECT * FROM steps LIMIT $5) AS few
      ) AS l`,
    values: [bookId, plainArray([...ids]), day, sequence, most + 1],
  });
  return rows;
}

/** Lines of an account behind one. */
export interface LogBehind {
  readonly id: Uuid;
  readonly line: bigint;
}

/** The same change, of lines behind one. Reads all of them. Index: effective_lines_pkey. */
export async function sumLogBehind(
  db: Queryable,
  bookId: BookId,
  behind: readonly LogBehind[],
  { day, sequence }: { readonly day: string; readonly sequence: bigint },
): Promise<{ readonly id: Uuid; readonly change: bigint }[]> {
  const { rows } = await db.query<{ id: Uuid; change: bigint }>({
    name: 'effective_lines.behind',
    text: `SELECT w.id, l.change FROM unnest($2::uuid[], $5::bigint[]) AS w (id, line) CROSS JOIN LATERAL (
        SELECT ${CHANGE} AS change FROM (
          SELECT change, posted_on, effective_on, entry_sequence FROM effective_lines
          WHERE book_id = $1 AND account_id = w.id AND line > w.line OFFSET 0
        ) AS tail
      ) AS l`,
    values: [bookId, plainArray(behind.map(({ id }) => id)), day, sequence, plainArray(behind.map(({ line }) => line))],
  });
  return rows;
}
