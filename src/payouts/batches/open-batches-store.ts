import { plainArray } from '../../db/columns.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';

/** Batches whose items leave an account, or will, and that have not ended: also drafts, and those that wait for an approval or for their time. */
export interface OpenBatches {
  readonly accountId: Uuid;
  /** The first few: enough to show what keeps the account open. */
  readonly batchIds: readonly Uuid[];
}

const LISTED = 10;

/** Read-only, keyed by account. Index: payout_batches_open, over the open batches of the book. */
export const openBatches = derivedTable<OpenBatches>({
  name: 'payout_batches_open',
  async load(trx, bookId, accountIds) {
    const { rows } = await trx.query<{ account_id: Uuid; batch_ids: Uuid[] }>({
      name: 'payout_batches.open',
      text: `SELECT a.id AS account_id, ARRAY (
          SELECT b.id FROM payout_batches b
          WHERE b.book_id = $1 AND b.status IN ('draft', 'requires_approval', 'scheduled', 'processing')
            AND b.paying_accounts @> jsonb_build_array(jsonb_build_object('accountId', a.id))
          ORDER BY b.id LIMIT ${LISTED}
        ) AS batch_ids FROM unnest($2::uuid[]) AS a (id)`,
      values: [bookId, plainArray(accountIds)],
    });
    return new Map(rows.map((row) => [row.account_id, { accountId: row.account_id, batchIds: row.batch_ids }]));
  },
});
