/** What became of the lines of a file, and the places in the journal of the operator's book between which its rows stand. */
import type { Pool } from '../../../src/db/pool.ts';
import type { BookId } from '../../../src/ledger/book/book.ts';
import type { Uuid } from '../../../src/values/ids.ts';

export interface LineFound {
  /** In the file, from 1. */
  readonly place: number;
  /** Null: no confirmed match. */
  readonly rule: string | null;
  /** The rail's reference of the payout that the line is matched with; null without a payout, and with several. */
  readonly reference: string | null;
  readonly posted: boolean;
}

export interface RunRows {
  readonly runId: Uuid;
  readonly statementId: Uuid;
}

/** The run of the newest statement with this number. */
export async function findRunOf(pool: Pool, bookId: BookId, number: number): Promise<RunRows> {
  const { rows } = await pool.query<RunRows>(
    `SELECT reconciliation_id AS "runId", id AS "statementId" FROM bank_statements
     WHERE book_id = $1 AND number = $2 AND status = 'posted' ORDER BY id DESC LIMIT 1`,
    [bookId, String(number)],
  );
  if (rows[0] === undefined) throw new Error(`Statement ${number} was not posted`);
  return rows[0];
}

const PAGE = 10_000;

/** Every line of a statement, page by page. */
export async function* readMatchedLines(pool: Pool, bookId: BookId, statementId: Uuid): AsyncGenerator<LineFound> {
  for (let behind = 0; ; ) {
    const { rows } = await pool.query<LineFound>(
      `SELECT l.place, l.entry_id IS NOT NULL AS posted, m.rule, i.bank_reference AS reference
       FROM bank_lines l
       LEFT JOIN bank_matches m ON m.book_id = l.book_id AND m.id = (l.match_ids ->> 0)::uuid
         AND m.status = 'confirmed' AND jsonb_array_length(l.match_ids) = 1
       LEFT JOIN expected_items i ON i.book_id = l.book_id AND i.id = (m.items -> 0 ->> 'id')::uuid
         AND jsonb_array_length(m.items) = 1 AND jsonb_array_length(m.lines) = 1 AND i.amount_open = 0
       WHERE l.book_id = $1 AND l.statement_id = $2 AND l.place > $3 ORDER BY l.place LIMIT ${PAGE}`,
      [bookId, statementId, behind],
    );
    yield* rows;
    if (rows.length < PAGE) return;
    behind = rows.at(-1)!.place;
  }
}

/** The last entry and the last event of a book. */
export interface Mark {
  readonly entry: bigint;
  readonly event: bigint;
}

export async function markOf(pool: Pool, bookId: BookId): Promise<Mark> {
  const { rows } = await pool.query<Mark>(
    `SELECT (SELECT COALESCE(max(sequence), 0)::bigint FROM entries WHERE book_id = $1) AS entry,
       (SELECT COALESCE(max(sequence), 0)::bigint FROM events WHERE book_id = $1) AS event`,
    [bookId],
  );
  return rows[0]!;
}
