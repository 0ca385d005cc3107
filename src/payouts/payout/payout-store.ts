import { plainArray, textArray } from '../../db/columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Payout, PayoutStatus } from './payout.ts';
import { payouts } from './payout-table.ts';

/** Payouts by the ids that their rail knows them by. Index: payouts_book_id_end_to_end_id_key. */
export async function findPayoutsByEndToEndId(
  db: Queryable,
  bookId: BookId,
  endToEndIds: readonly string[],
): Promise<Map<string, Payout>> {
  const { rows } = await db.query({
    name: 'payouts.by_end_to_end_id',
    text: `SELECT ${payouts.selected()} FROM payouts WHERE book_id = $1 AND end_to_end_id = ANY ($2::text[])`,
    values: [bookId, textArray(endToEndIds)],
  });
  return new Map(rows.map((row) => [row.end_to_end_id, payouts.fromRow(row)]));
}

/**
 * Whether one of them is released and no rail has answered it, and no operator keeps it back. Index: payouts_pkey. Asked while the clock
 * of a test book moves, and by nothing else.
 */
export async function areUnanswered(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<boolean> {
  const { rows } = await db.query<{ unanswered: boolean }>({
    name: 'payouts.unanswered',
    text: `SELECT EXISTS (
        SELECT FROM payouts WHERE book_id = $1 AND id = ANY ($2::uuid[]) AND paused_at IS NULL
          AND (status = 'pending' OR (status = 'processing' AND outcome IS NULL AND rail_reference IS NULL))
      ) AS unanswered`,
    values: [bookId, plainArray(ids)],
  });
  return rows[0]!.unanswered;
}

export interface PayoutFilter {
  /** The account that they leave. */
  readonly accountId?: Uuid;
  readonly statuses?: readonly PayoutStatus[];
  readonly createdGte?: Instant;
  readonly createdLt?: Instant;
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * A page of payouts, newest first. Indexes: payouts_by_account, payouts_by_external_id, payouts_by_status, metadata_index; else
 * payouts_pkey.
 */
export function listPayouts(
  db: Queryable,
  bookId: BookId,
  { accountId, statuses, createdGte, createdLt, externalId, metadata }: PayoutFilter,
  page: PageRequest,
): Promise<Page<Payout>> {
  const among = { account_id: valuesOf(accountId), external_id: valuesOf(externalId), status: statuses };
  const filter = { among, created: { gte: createdGte, lt: createdLt }, metadata };
  return listRows(db, { table: payouts, object: 'payout' }, { bookId, filter, page });
}

const valuesOf = (value: string | undefined) => (value === undefined ? undefined : [value]);
