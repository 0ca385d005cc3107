import type { Queryable } from '../db/pool.ts';
import { type OverdueRows, poolSql, waitingColumns } from '../group/moved-rows.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { QueuePool } from '../queue/job.ts';
import type { Instant } from '../values/clock.ts';
import type { Uuid } from '../values/ids.ts';

export interface OverdueRow {
  readonly bookId: BookId;
  readonly key: readonly string[];
  /** Null for rows without a status that names what they wait for. */
  readonly status: string | null;
  /** The pool that moves the row; null where no pool moves rows of its status. */
  readonly pool: QueuePool | null;
  /** When a worker should have moved the row. */
  readonly since: Instant;
  /** When the sweeper enqueues it, again or for the first time. */
  readonly dueAt: Instant;
}

/**
 * Overdue rows are looked for among this many with the earliest due times: a backlog of a million is not read whole.
 */
const LOOKED_AT = 10_000;

/**
 * Reads rows that a worker should have moved before a moment, over all books or in one. Stuck rows are known already.
 * Index: <table>_due.
 */
export async function readOverdue(
  db: Queryable,
  rows: OverdueRows,
  { before, bookId, limit }: { before: Instant; bookId?: BookId | undefined; limit: number },
): Promise<OverdueRow[]> {
  const found = await db.query<{
    book_id: Uuid;
    key: string[];
    status: string | null;
    pool: QueuePool | null;
    since: Instant;
    due_at: Instant;
  }>({
    name: `verify.overdue_${rows.table.name}`,
    text: overdueSql(rows),
    values: [new Date(before), bookId ?? null, LOOKED_AT, limit],
  });
  return found.rows.map((row) => ({
    bookId: row.book_id,
    key: row.key,
    status: row.status,
    pool: row.pool,
    since: row.since,
    dueAt: row.due_at,
  }));
}

/** $1: waiting since before this time. $2: the book, or null. $3: rows that are looked at. $4: rows that are wanted. */
function overdueSql(rows: OverdueRows): string {
  const { table, waiting, waitsSince, unless, finding } = rows;
  const key = table.key.map(({ name }) => name);
  const columns = [
    ...new Set([...waitingColumns(rows), 'due_at', ...(finding.actual === undefined ? ['status'] : [])]),
  ];
  return `SELECT book_id, ARRAY[${key.map((name) => `open.${name}::text`).join(', ')}] AS key,
      ${finding.actual === undefined ? 'status' : 'NULL::text AS status'}, ${poolSql(rows)} AS pool, since, due_at FROM (
      SELECT ${columns.join(', ')}, ${waitsSince} AS since FROM ${table.name}
      WHERE ${waiting} AND ($2::uuid IS NULL OR book_id = $2) ORDER BY due_at LIMIT $3
    ) open WHERE since < $1${unless ? ` AND NOT (${unless})` : ''} LIMIT $4`;
}
