/** Open purchases of a card at a merchant: what a forced post may belong to (resembling.ts). */
import { plainArray, textArray } from '../../db/columns.ts';
import { derivedTable } from '../../ledger/rows/derived-table.ts';
import type { Uuid } from '../../values/ids.ts';
import type { OpenPurchase } from './resembling.ts';

export interface OpenAtMerchant {
  readonly open: readonly OpenPurchase[];
}

/** With more open at one merchant, none can be picked: no more are read. */
const OPEN_MAX = 100;
/** A UUID and a space. */
const CARD_LENGTH = 36;

export function lookalikeKey(cardId: Uuid, merchantId: string): string {
  return `${cardId} ${merchantId}`;
}

/** Index: transactions_open. */
export const lookalikes = derivedTable<OpenAtMerchant>({
  name: 'transactions (open at a merchant)',
  async load(db, bookId, keys) {
    const cardIds = keys.map((key) => key.slice(0, CARD_LENGTH));
    const merchantIds = keys.map((key) => key.slice(CARD_LENGTH + 1));
    const { rows } = await db.query<{
      id: Uuid;
      card_id: Uuid;
      merchant_id: string;
      held: bigint;
      merchant_left: bigint | null;
      merchant_currency: string | null;
    }>({
      name: 'transactions.open_at_merchant',
      text: `SELECT found.* FROM unnest($2::uuid[], $3::text[]) AS wanted (card_id, merchant_id), LATERAL (
          SELECT id, card_id, merchant_id, held, merchant_left, merchant_currency FROM transactions t
          WHERE t.book_id = $1 AND t.card_id = wanted.card_id AND t.merchant_id = wanted.merchant_id AND t.held > 0
          ORDER BY id LIMIT ${OPEN_MAX}) AS found`,
      values: [bookId, plainArray(cardIds), textArray(merchantIds)],
    });
    const found = new Map<string, { open: OpenPurchase[] }>();
    for (const row of rows) {
      const key = lookalikeKey(row.card_id, row.merchant_id);
      const merchant =
        row.merchant_left === null ? null : { amount: row.merchant_left, currency: row.merchant_currency! };
      const open = {
        transactionId: row.id,
        cardId: row.card_id,
        merchantId: row.merchant_id,
        amount: row.held,
        merchant,
      };
      const of = found.get(key);
      if (of === undefined) found.set(key, { open: [open] });
      else of.open.push(open);
    }
    return found;
  },
});
