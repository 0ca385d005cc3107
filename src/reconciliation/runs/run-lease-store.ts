/**
 * Who has a run, and how far it is. A lease only spares work: two processes over one run post each line once and match it once. Outside of commands,
 * since nothing of it is money.
 */
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

interface RunPlace {
  readonly bookId: BookId;
  readonly id: Uuid;
}

/**
 * By compare-and-set. Resolves to whether nobody has it, or another run of the book: they would match the same lines. Indexes:
 * reconciliations_pkey, reconciliations_due_by_book.
 */
export async function takeLease(
  pool: Pool,
  { bookId, id }: RunPlace,
  { now, until }: { readonly now: Instant; readonly until: Instant },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE reconciliations SET leased_until = $4 WHERE book_id = $1 AND id = $2 AND (leased_until IS NULL OR leased_until <= $3)
       AND NOT EXISTS (SELECT 1 FROM reconciliations o WHERE o.book_id = $1 AND o.status IN ('pending', 'running', 'completed') AND o.id <> $2
         AND o.due_at IS NOT NULL AND o.stuck_at IS NULL AND o.leased_until > $3)`,
    [bookId, id, new Date(now), new Date(until)],
  );
  return rowCount === 1;
}

export interface RunProgress {
  readonly bytes: bigint;
  readonly lines: number;
}

/** Prolongs the lease, or ends it. Index: reconciliations_pkey. */
export async function keepProgress(
  pool: Pool,
  { bookId, id }: RunPlace,
  { until, bytes, lines }: RunProgress & { readonly until: Instant | null },
): Promise<void> {
  await pool.query(
    `UPDATE reconciliations SET leased_until = $3, progress_bytes = GREATEST(progress_bytes, $4),
       progress_lines = GREATEST(progress_lines, $5) WHERE book_id = $1 AND id = $2`,
    [bookId, id, until === null ? null : new Date(until), bytes, lines],
  );
}
