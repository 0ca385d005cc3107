import { plainArray } from '../../../db/columns.ts';
import type { Pool, Queryable, Transaction } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, grouped, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Hold } from '../../../ledger/hold/hold.ts';
import { holds } from '../../../ledger/hold/hold-table.ts';
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { Payout } from '../payout.ts';
import { payouts } from '../payout-table.ts';

/** A payout with its hold and entries, and what came back of it, as of one moment. */
export interface PayoutHistory {
  readonly payout: Payout;
  readonly stuckAt: Instant | null;
  readonly hold: Hold | undefined;
  /** In the order of the journal. */
  readonly entries: readonly BookedStep[];
  /** The sum of its returns. */
  readonly returned: bigint;
  /** Its returns that are booked as steps of the payout itself, as before returns had entries of their own. */
  readonly returnSteps: readonly { entryId: Uuid; amount: bigint }[];
  /** The type of the event that the row names as the payout's first one; null for an event of another object, or none. */
  readonly begunBy: string | null;
}

/** Index: events_pkey. */
const BEGUN_BY = `(SELECT type FROM events AS begun WHERE begun.book_id = payouts.book_id AND begun.sequence = payouts.first_event
    AND begun.object_id IS NOT DISTINCT FROM payouts.id LIMIT 1) AS begun_by`;

/**
 * Reads a page of payouts in a snapshot of its own. Indexes: the primary keys, entries' (book, resource, step),
 * payout_returns_by_time.
 */
export function readPayoutHistories(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<PayoutHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<PayoutWithMark>({
      name: 'verify.payouts',
      text: `SELECT ${payouts.selected()}, stuck_at, ${BEGUN_BY} FROM payouts
        WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3`,
      values: [bookId, page.after ?? null, page.limit],
    });
    return withHistories(trx, bookId, rows);
  });
}

/** Reads payouts by id, likewise. Ids of other resources are skipped. Indexes: as above. */
export function readPayoutHistoriesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<PayoutHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<PayoutWithMark>({
      name: 'verify.payouts_by_id',
      text: `SELECT ${payouts.selected()}, stuck_at, ${BEGUN_BY} FROM payouts WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return withHistories(trx, bookId, rows);
  });
}

interface PayoutWithMark {
  readonly id: Uuid;
  readonly hold_id: Uuid;
  readonly returns: number;
  readonly stuck_at: Instant | null;
  readonly begun_by: string | null;
}

async function withHistories(
  trx: Transaction,
  bookId: BookId,
  rows: readonly PayoutWithMark[],
): Promise<PayoutHistory[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const [held, entries, returned, returnSteps] = await Promise.all([
    holds.load(
      trx,
      bookId,
      rows.map((row) => row.hold_id),
    ),
    readStepsOf(trx, bookId, ids),
    sumReturns(trx, bookId, ids),
    readReturnSteps(
      trx,
      bookId,
      rows.filter((row) => row.returns > 0).map(({ id }) => id),
    ),
  ]);
  return rows.map((row) => ({
    payout: payouts.fromRow(row),
    stuckAt: row.stuck_at,
    hold: held.get(row.hold_id),
    entries: entries.get(row.id) ?? [],
    returned: returned.get(row.id) ?? 0n,
    returnSteps: returnSteps.get(row.id) ?? [],
    begunBy: row.begun_by,
  }));
}

async function sumReturns(db: Queryable, bookId: BookId, payoutIds: readonly Uuid[]): Promise<Map<Uuid, bigint>> {
  const { rows } = await db.query<{ payout_id: string; returned: bigint }>({
    name: 'verify.returned_of',
    text: `SELECT payout_id, sum(amount) AS returned FROM payout_returns
      WHERE book_id = $1 AND payout_id = ANY ($2::uuid[]) GROUP BY payout_id`,
    values: [bookId, plainArray(payoutIds)],
  });
  return new Map(rows.map((row) => [row.payout_id, row.returned]));
}

async function readReturnSteps(db: Queryable, bookId: BookId, payoutIds: readonly Uuid[]) {
  if (payoutIds.length === 0) return new Map<Uuid, never>();
  const { rows } = await db.query<{ payout_id: string; entry_id: string; amount: bigint }>({
    name: 'verify.return_steps_of',
    text: `SELECT r.payout_id, r.entry_id, r.amount FROM payout_returns r
      JOIN entries e ON e.book_id = r.book_id AND e.id = r.entry_id AND e.resource_id = r.payout_id
      WHERE r.book_id = $1 AND r.payout_id = ANY ($2::uuid[]) ORDER BY e.sequence, r.id`,
    values: [bookId, plainArray(payoutIds)],
  });
  return grouped(
    rows,
    (row) => row.payout_id,
    (row) => ({ entryId: row.entry_id, amount: row.amount }),
  );
}
