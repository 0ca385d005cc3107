/** The messages of purchases as decisions read them: all of one purchase are one row of a state. */
import type { PurchaseKind } from '../../cards/purchase/purchase-facts.ts';
import { plainArray } from '../../db/columns.ts';
import { type Table, WRITE_ORDER } from '../../ledger/rows/table.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Advice, MerchantAmount, Message } from './message.ts';

/**
 * How many messages a purchase may have. A hotel stay has some ten, a merchant that clears an order item by item some hundred; each message
 * reads all before it.
 */
export const MESSAGES_MAX = 1_000;

export interface KeptMessage {
  readonly id: Uuid;
  /** The number of its event in the book. */
  readonly eventSequence: bigint;
  readonly message: Message;
}

/** In the order in which they came. */
export interface MessagesOfPurchase {
  readonly transactionId: Uuid;
  readonly messages: readonly KeptMessage[];
}

export interface MessageRow {
  readonly id: Uuid;
  readonly transaction_id: Uuid;
  readonly event_sequence: bigint;
  readonly reference: string;
  readonly type: Message['type'];
  readonly kind: PurchaseKind | null;
  readonly form: 'dual' | 'single' | null;
  readonly amount: bigint | null;
  readonly cashback: bigint | null;
  readonly merchant_amount: bigint | null;
  readonly merchant_currency: string | null;
  readonly is_partial_allowed: boolean | null;
  readonly reason: Advice['reason'] | null;
  readonly advised: Advice['of'] | null;
  readonly is_approved: boolean | null;
  readonly approved_amount: bigint | null;
  readonly authorized_amount: bigint | null;
  readonly authorized_merchant_amount: bigint | null;
  readonly authorized_merchant_currency: string | null;
  readonly decline_code: string | null;
  readonly sequence_number: number | null;
  readonly sequence_count: number | null;
  readonly is_final: boolean | null;
  readonly reverses: string | null;
}

/** Of transaction_messages: what the message itself is, and its place. */
export const MESSAGE_COLUMNS = `id, transaction_id, event_sequence, reference, type, kind, form, amount, cashback, merchant_amount, merchant_currency,
  is_partial_allowed, reason, advised, is_approved, approved_amount, authorized_amount, authorized_merchant_amount,
  authorized_merchant_currency, decline_code, sequence_number, sequence_count, is_final, reverses`;

/**
 * The messages of purchases, by purchase. A command that takes one puts the longer list, so that the next one of its batch decides over it;
 * what is written is the message (message-table.ts), and nothing here. Index: transaction_messages_in_order.
 */
export const messagesOfPurchases: Table<MessagesOfPurchase> = {
  name: 'transaction_messages (by purchase)',
  writeOrder: WRITE_ORDER.resourceChildren,
  async load(db, bookId, ids) {
    const { rows } = await db.query<MessageRow>({
      name: 'transaction_messages.of_purchases',
      text: `SELECT ${MESSAGE_COLUMNS} FROM transaction_messages
        WHERE book_id = $1 AND transaction_id = ANY ($2::uuid[]) ORDER BY transaction_id, ordinal`,
      values: [bookId, plainArray(ids)],
    });
    return byPurchase(rows);
  },
  insert: () => Promise.resolve(),
  update: () => Promise.resolve(),
  pairs: {
    idOf: ({ transactionId }) => transactionId,
    async load(db, keys) {
      const { rows } = await db.query<MessageRow & { book_id: Uuid }>({
        name: 'transaction_messages.of_purchases_pairs',
        text: `SELECT found.* FROM unnest($1::uuid[], $2::uuid[]) AS wanted (book_id, id), LATERAL (
            SELECT book_id, ${MESSAGE_COLUMNS} FROM transaction_messages m
            WHERE m.book_id = wanted.book_id AND m.transaction_id = wanted.id ORDER BY ordinal LIMIT ${MESSAGES_MAX}) AS found`,
        values: [plainArray(keys.map(({ bookId }) => bookId)), plainArray(keys.map(({ row }) => row))],
      });
      const books = new Map(rows.map((row) => [row.transaction_id, row.book_id]));
      return [...byPurchase(rows).values()].map((row) => ({ bookId: books.get(row.transactionId)!, row }));
    },
    insert: () => Promise.resolve(),
    update: () => Promise.resolve(),
  },
};

/** Ids of purchases are derived from their books: no two books share one. */
function byPurchase(rows: readonly MessageRow[]): Map<string, MessagesOfPurchase> {
  const found = new Map<string, { transactionId: Uuid; messages: KeptMessage[] }>();
  for (const row of rows) {
    const kept = { id: row.id, eventSequence: row.event_sequence, message: messageFromRow(row) };
    const of = found.get(row.transaction_id);
    if (of === undefined) found.set(row.transaction_id, { transactionId: row.transaction_id, messages: [kept] });
    else of.messages.push(kept);
  }
  return found;
}

export function messageFromRow(row: MessageRow): Message {
  const { reference, type } = row;
  const merchant = amountIn(row.merchant_amount, row.merchant_currency);
  switch (type) {
    case 'authorization':
    case 'increment':
      return {
        ...{
          reference,
          type,
          kind: row.kind!,
          form: row.form!,
          amount: row.amount!,
          cashback: row.cashback!,
          merchant,
        },
        isPartialAllowed: row.is_partial_allowed!,
        decision: decisionFromRow(row),
      };
    case 'advice': {
      const { kind, form, reason, advised, is_approved: isApproved, amount } = row;
      return {
        ...{ reference, type, reason: reason!, of: advised!, kind: kind!, form: form! },
        ...{ isApproved: isApproved!, amount: amount!, merchant },
      };
    }
    case 'reversal':
      return { reference, type, amount: row.amount, merchant };
    case 'clearing':
      return {
        ...{ reference, type, kind: row.kind, amount: row.amount!, merchant, isFinal: row.is_final },
        sequence: row.sequence_number === null ? null : { number: row.sequence_number, count: row.sequence_count! },
      };
    case 'refund':
      return { reference, type, amount: row.amount!, merchant };
    case 'clearing_reversal':
    case 'refund_reversal':
      return { reference, type, reverses: row.reverses!, amount: row.amount };
    default:
      return { reference, type };
  }
}

function decisionFromRow(row: MessageRow) {
  if (!row.is_approved) return { isApproved: false as const, declineCode: row.decline_code! };
  return {
    isApproved: true as const,
    amount: row.approved_amount!,
    authorized: row.authorized_amount!,
    merchant: amountIn(row.authorized_merchant_amount, row.authorized_merchant_currency),
  };
}

function amountIn(amount: bigint | null, currency: string | null): MerchantAmount | null {
  return amount === null ? null : { amount, currency: currency! };
}
