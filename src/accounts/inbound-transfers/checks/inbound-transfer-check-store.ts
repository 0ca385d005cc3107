import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { InboundTransferStatus } from '../inbound-transfer.ts';
import { inboundTransfers } from '../inbound-transfer-table.ts';

export interface TransferHistory {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: InboundTransferStatus;
  readonly entries: readonly BookedStep[];
}

interface TransferRow {
  readonly id: Uuid;
  readonly account_id: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly status: InboundTransferStatus;
}

const COLUMNS = 'id, account_id, amount, currency, status';

/** Reads a page of inbound transfers with their entries, in a snapshot of its own. Indexes: the primary key, entries' (book, resource, step). */
export function readTransferHistories(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<TransferHistory[]> {
  return withEntries(pool, bookId, {
    name: 'verify.transfers',
    text: `SELECT ${COLUMNS} FROM ${inboundTransfers.name}
      WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3`,
    values: [bookId, page.after ?? null, page.limit],
  });
}

/** Reads inbound transfers by id, likewise. Ids of other resources are skipped. */
export function readTransferHistoriesById(
  pool: Pool,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<TransferHistory[]> {
  return withEntries(pool, bookId, {
    name: 'verify.transfers_by_id',
    text: `SELECT ${COLUMNS} FROM ${inboundTransfers.name} WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
    values: [bookId, plainArray(ids)],
  });
}

function withEntries(
  pool: Pool,
  bookId: BookId,
  query: { name: string; text: string; values: unknown[] },
): Promise<TransferHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query<TransferRow>(query);
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const entries = await readStepsOf(trx, bookId, ids);
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      amount: row.amount,
      currency: row.currency,
      status: row.status,
      entries: entries.get(row.id) ?? [],
    }));
  });
}
