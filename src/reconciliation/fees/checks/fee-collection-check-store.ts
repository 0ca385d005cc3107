/** Collections of fees with their entries. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import { BEFORE_ALL_IDS, type Uuid } from '../../../values/ids.ts';
import type { FeeCollection } from '../fee-collection.ts';
import { feeCollections } from '../fee-collection-table.ts';

export interface FeeCollectionHistory {
  readonly collection: FeeCollection;
  readonly entries: readonly BookedStep[];
}

/** Indexes: fee_collections_pkey, entries' (book, resource, step). */
export function readFeeCollectionHistories(
  pool: Pool,
  bookId: BookId,
  { after = BEFORE_ALL_IDS, limit }: { after: Uuid | undefined; limit: number },
): Promise<FeeCollectionHistory[]> {
  return histories(pool, bookId, { where: 'id > $2 ORDER BY id LIMIT $3', values: [after, limit] });
}

/** By id. Ids of other resources are skipped. Indexes: as above. */
export function readFeeCollectionHistoriesById(
  pool: Pool,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<FeeCollectionHistory[]> {
  return histories(pool, bookId, { where: 'id = ANY ($2::uuid[])', values: [plainArray(ids)] });
}

function histories(
  pool: Pool,
  bookId: BookId,
  { where, values }: { where: string; values: readonly unknown[] },
): Promise<FeeCollectionHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query(
      `SELECT ${feeCollections.selected()} FROM fee_collections WHERE book_id = $1 AND ${where}`,
      [bookId, ...values],
    );
    const found = rows.map(feeCollections.fromRow);
    const steps = await readStepsOf(
      trx,
      bookId,
      found.map(({ id }) => id),
    );
    return found.map((collection) => ({ collection, entries: steps.get(collection.id) ?? [] }));
  });
}
