import { plainArray } from '../../db/columns.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';

/** Cards that keep an account open: the first few. */
export interface OpenCards {
  readonly accountId: Uuid;
  readonly cardIds: readonly Uuid[];
}

const LISTED = 10;

/** Read-only, keyed by account. Index: cards_open. */
export const openCards = derivedTable<OpenCards>({
  name: 'open_cards',
  async load(trx, bookId, accountIds) {
    const { rows } = await trx.query<{ account_id: Uuid; card_ids: Uuid[] }>({
      name: 'cards.open',
      text: `SELECT a.id AS account_id, ARRAY (
          SELECT c.id FROM cards c WHERE c.book_id = $1 AND c.account_id = a.id AND c.status <> 'closed'
          ORDER BY c.id LIMIT ${LISTED}
        ) AS card_ids FROM unnest($2::uuid[]) AS a (id)`,
      values: [bookId, plainArray(accountIds)],
    });
    return new Map(rows.map((row) => [row.account_id, { accountId: row.account_id, cardIds: row.card_ids }]));
  },
});
