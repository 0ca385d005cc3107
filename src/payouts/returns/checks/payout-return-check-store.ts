import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import { type PayoutReturn, payoutReturns } from '../payout-return-table.ts';

/** A return with its payout and its entries, as of one moment. */
export interface ReturnHistory {
  readonly one: PayoutReturn;
  /** Null when there is no such payout. */
  readonly payout: { readonly accountId: Uuid; readonly currency: string } | null;
  /** Entries that name the return. */
  readonly entries: readonly BookedStep[];
  /** The entry that the return names is a step of the payout, as before returns had entries of their own: the payout's check reads it. */
  readonly isStepOfPayout: boolean;
}

/**
 * Reads a page of returns, in a snapshot of its own. Indexes: the primary keys, entries_book_id_id_key, entries' (book,
 * resource, step).
 */
export function readReturnHistories(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<ReturnHistory[]> {
  return withEntries(pool, bookId, {
    name: 'verify.returns',
    text: historiesOf(
      "book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3",
    ),
    values: [bookId, page.after ?? null, page.limit],
  });
}

/** Reads returns by id, likewise. Ids of other resources are skipped. */
export function readReturnHistoriesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<ReturnHistory[]> {
  return withEntries(pool, bookId, {
    name: 'verify.returns_by_id',
    text: historiesOf('book_id = $1 AND id = ANY ($2::uuid[])'),
    values: [bookId, plainArray(ids)],
  });
}

interface ReturnRow {
  readonly id: Uuid;
  readonly account_id: Uuid | null;
  readonly payout_currency: string;
  readonly is_step: boolean;
}

function historiesOf(which: string): string {
  return `SELECT ${payoutReturns.selected('r')}, p.account_id, p.currency AS payout_currency,
      EXISTS (SELECT FROM entries e WHERE e.book_id = r.book_id AND e.id = r.entry_id AND e.resource_id = r.payout_id
        AND e.step LIKE 'returned\\_%') AS is_step
    FROM (SELECT * FROM payout_returns WHERE ${which}) r
    LEFT JOIN payouts p ON p.book_id = r.book_id AND p.id = r.payout_id
    ORDER BY r.id`;
}

function withEntries(
  pool: Pool,
  bookId: BookId,
  query: { name: string; text: string; values: unknown[] },
): Promise<ReturnHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<ReturnRow>(query);
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const entries = await readStepsOf(trx, bookId, ids);
    return rows.map((row) => ({
      one: payoutReturns.fromRow(row),
      payout: row.account_id === null ? null : { accountId: row.account_id, currency: row.payout_currency },
      entries: entries.get(row.id) ?? [],
      isStepOfPayout: row.is_step,
    }));
  });
}
