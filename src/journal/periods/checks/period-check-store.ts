import type { Queryable } from '../../../db/pool.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { PeriodStatus } from '../period.ts';

/** A period with the head of the journal and of the book. */
export interface PeriodRow {
  readonly id: Uuid;
  readonly status: PeriodStatus;
  readonly through: string;
  readonly throughSequence: bigint;
  readonly chainHash: string;
  /** Of the entry with its last sequence; null without one. */
  readonly hash: string | null;
  /** Of the book. */
  readonly closedThrough: string | null;
}

/** Indexes: periods_pkey, entries_pkey. OFFSET 0: docs/decisions/kept-plans.md. */
export async function readPeriods(
  db: Queryable,
  bookId: BookId,
  page: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<PeriodRow[]> {
  const { rows } = await db.query<PeriodRow>({
    name: 'verify.periods',
    text: `SELECT p.id, p.status, p.through_day AS through, p.through_sequence AS "throughSequence",
        encode(p.chain_hash, 'hex') AS "chainHash", encode(e.hash, 'hex') AS hash, b.closed_through AS "closedThrough"
      FROM (SELECT * FROM periods WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000')
        ORDER BY id LIMIT $3) p
      JOIN books b ON b.id = $1
      LEFT JOIN LATERAL (SELECT hash FROM entries WHERE book_id = $1 AND sequence = p.through_sequence OFFSET 0) e ON true
      ORDER BY p.id`,
    values: [bookId, page.after ?? null, page.limit],
  });
  return rows;
}
