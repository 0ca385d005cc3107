import { plainArray } from '../../db/columns.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';

/** Payouts that have left an account, or will, and are not final yet: also those that wait for an approval or for their time. */
export interface InFlightPayouts {
  readonly accountId: Uuid;
  /** The first few: enough to name what keeps the account open. */
  readonly payoutIds: readonly Uuid[];
}

const LISTED = 10;

/** Read-only, keyed by account. Indexes: payouts_in_flight, payouts_waiting. */
export const inFlightPayouts = derivedTable<InFlightPayouts>({
  name: 'payouts_in_flight',
  async load(trx, bookId, accountIds) {
    const { rows } = await trx.query<{ account_id: string; payout_ids: string[] }>({
      name: 'payouts.in_flight',
      text: `SELECT a.id AS account_id, ARRAY (
          SELECT id FROM (
            (SELECT p.id FROM payouts p
              WHERE p.book_id = $1 AND p.account_id = a.id AND p.status IN ('pending', 'processing') ORDER BY p.id LIMIT ${LISTED})
            UNION ALL
            (SELECT p.id FROM payouts p
              WHERE p.book_id = $1 AND p.account_id = a.id AND p.status IN ('requires_approval', 'scheduled') ORDER BY p.id LIMIT ${LISTED})
          ) AS open ORDER BY id LIMIT ${LISTED}
        ) AS payout_ids FROM unnest($2::uuid[]) AS a (id)`,
      values: [bookId, plainArray(accountIds)],
    });
    return new Map(rows.map((row) => [row.account_id, { accountId: row.account_id, payoutIds: row.payout_ids }]));
  },
});
