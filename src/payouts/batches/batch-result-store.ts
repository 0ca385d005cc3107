import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { PayoutStatus } from '../payout/payout.ts';
import { type PayoutBatch, payingAccountOf } from './batch.ts';
import { batchItems } from './batch-item-table.ts';
import type { BatchResult } from './batch-result.ts';

interface ResultRow {
  readonly row_number: number;
  readonly payout_status: PayoutStatus | null;
  readonly failure_code: string | null;
  readonly rail_reference: string | null;
  readonly name_masked: string | null;
  readonly description: string | null;
}

/**
 * Rows of a range with their payouts, in order or backwards. Indexes: payout_batch_items_by_row, payouts_pkey.
 */
export async function readResults(
  db: Queryable,
  bookId: BookId,
  batch: PayoutBatch,
  { from, to, limit, backwards }: { from: number; to: number; limit: number; backwards: boolean },
): Promise<BatchResult[]> {
  const { rows } = await db.query<ResultRow>({
    name: `payout_batch_items.results_${backwards ? 'back' : 'on'}`,
    text: `SELECT ${batchItems.selected('i')}, p.status AS payout_status, p.failure_code, p.rail_reference,
        p.destination_details ->> 'name_masked' AS name_masked, p.description
      FROM payout_batch_items i LEFT JOIN payouts p ON p.book_id = i.book_id AND p.id = i.payout_id
      WHERE i.book_id = $1 AND i.batch_id = $2 AND i.row_number BETWEEN $3 AND $4
      ORDER BY i.row_number ${backwards ? 'DESC' : 'ASC'} LIMIT $5`,
    values: [bookId, batch.id, from, to, limit],
  });
  return rows.map((row) => {
    const item = batchItems.fromRow(row);
    return {
      item,
      accountId: payingAccountOf(batch, item),
      status: row.payout_status ?? (item.rowNumber > batch.last ? 'canceled' : 'waiting'),
      isPayout: row.payout_status !== null,
      failureCode: row.failure_code,
      railReference: row.rail_reference,
      payeeName: row.name_masked,
      description: row.description,
    };
  });
}

const LAST_ROW = 2_147_483_647;

/** A page, last row first, as every list. */
export async function listResults(
  db: Queryable,
  bookId: BookId,
  batch: PayoutBatch,
  { limit, startingAfter, endingBefore }: PageRequest,
): Promise<Page<BatchResult>> {
  const backwards = endingBefore === undefined;
  const range = backwards
    ? { from: 1, to: startingAfter === undefined ? LAST_ROW : rowOf(startingAfter, batch, 'starting_after') - 1 }
    : { from: rowOf(endingBefore, batch, 'ending_before') + 1, to: LAST_ROW };
  const rows = await readResults(db, bookId, batch, { ...range, limit: limit + 1, backwards });
  const page = rows.slice(0, limit);
  return { rows: backwards ? page : page.reverse(), hasMore: rows.length > limit };
}

/** Throws ApiError `cursor_invalid` for a row that the batch does not have. */
function rowOf(cursor: string, { items }: PayoutBatch, param: string): number {
  const row = Number(cursor);
  if (row <= items) return row;
  throw new ApiError('cursor_invalid', { param, detail: `The batch has ${items} items.` });
}
