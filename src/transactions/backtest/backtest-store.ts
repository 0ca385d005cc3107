/** Past purchases of a card's line, an account or the book, with their messages. Messages never change: no snapshot is needed. */
import type { ThreeDSecureResult } from '../../cards/decision/decision-input.ts';
import { readFees, type StoredFees } from '../../cards/program/stored-schedule.ts';
import type { EntryMode } from '../../cards/purchase/purchase-facts.ts';
import { plainArray } from '../../db/columns.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { MESSAGE_COLUMNS, type MessageRow, messageFromRow } from '../message/messages-store.ts';
import type { StoredDecision } from '../message/stored-decision.ts';
import type { PastMessage, PastPurchase } from './past-purchase.ts';

/** Purchases, and messages, that one query reads. */
export const ROWS_PER_QUERY = 5_000;

/** One list of purchases, in the order of their first messages. */
export type PastList = { readonly cardId: Uuid } | { readonly accountId: Uuid } | 'book';

/** Which of them: by the ids of first messages, which have the time of their arrival, and by the book's own time. */
export interface PastRange {
  /** Above this and below that. */
  readonly begunBy: readonly [after: Uuid, before: Uuid];
  /** Null: from the first on. */
  readonly changedFrom: Instant | null;
  readonly begunBefore: Instant;
}

/** Indexes: transactions_by_card, transactions_by_account, transactions_in_order. */
function among(list: PastList): { name: string; where: string; id: Uuid | null } {
  const where = `book_id = $1 AND begun_by > $3 AND begun_by < $4 AND updated_at >= $5 AND created_at < $6`;
  if (list === 'book') return { name: 'book', where: `${where} AND $2::uuid IS NULL`, id: null };
  if ('cardId' in list) return { name: 'card', where: `${where} AND card_id = $2`, id: list.cardId };
  return { name: 'account', where: `${where} AND account_id = $2`, id: list.accountId };
}

function valuesOf(bookId: BookId, id: Uuid | null, { begunBy, changedFrom, begunBefore }: PastRange): unknown[] {
  const from = changedFrom === null ? '-infinity' : new Date(changedFrom).toISOString();
  return [bookId, id, ...begunBy, from, new Date(begunBefore).toISOString()];
}

/** Counts purchases up to `atMost`, and their messages. Indexes: as above. */
export async function countPast(
  db: Queryable,
  bookId: BookId,
  { list, range, atMost }: { list: PastList; range: PastRange; atMost: number },
): Promise<{ transactions: number; messages: number }> {
  const { name, where, id } = among(list);
  const { rows } = await db.query<{ transactions: number; messages: number }>({
    name: `backtest.count_of_${name}`,
    text: `SELECT count(*)::integer AS transactions, COALESCE(sum(messages), 0)::integer AS messages
      FROM (SELECT messages FROM transactions WHERE ${where} ORDER BY begun_by LIMIT $7) AS found`,
    values: [...valuesOf(bookId, id, range), atMost],
  });
  return rows[0]!;
}

interface PurchaseRow {
  readonly id: Uuid;
  readonly begun_by: Uuid;
  readonly currency: string;
  readonly mcc: string;
  readonly country: string;
  readonly merchant_id: string;
  readonly acquirer_id: string | null;
  readonly entry_mode: EntryMode | null;
  readonly tolerance_percent: number;
  readonly fees: StoredFees;
  readonly messages: number;
}

export interface ReadPurchase extends PastPurchase {
  readonly begunBy: Uuid;
  /** How many it has by now. */
  readonly messages: number;
}

/** At most ROWS_PER_QUERY, in the order of their first messages. Indexes: as above. */
export async function readPastPurchases(
  db: Queryable,
  bookId: BookId,
  { list, range }: { list: PastList; range: PastRange },
): Promise<ReadPurchase[]> {
  const { name, where, id } = among(list);
  const { rows } = await db.query<PurchaseRow>({
    name: `backtest.purchases_of_${name}`,
    text: `SELECT id, begun_by, currency, mcc, country, merchant_id, acquirer_id, entry_mode, tolerance_percent, fees, messages
      FROM transactions WHERE ${where} ORDER BY begun_by LIMIT ${ROWS_PER_QUERY}`,
    values: valuesOf(bookId, id, range),
  });
  return rows.map(purchaseFromRow);
}

function purchaseFromRow(row: PurchaseRow): ReadPurchase {
  const { currency, mcc, country } = row;
  return {
    id: row.id,
    begunBy: row.begun_by,
    currency,
    facts: { mcc, country, merchantId: row.merchant_id, acquirerId: row.acquirer_id, entryMode: row.entry_mode },
    terms: { currency, mcc, tolerancePercent: row.tolerance_percent, fees: readFees(row.fees) },
    messages: row.messages,
  };
}

interface PastRow extends MessageRow {
  readonly ordinal: number;
  readonly currency: string;
  readonly three_d_secure: ThreeDSecureResult | null;
  readonly decision: StoredDecision | null;
  readonly created_at: Instant;
}

/**
 * The messages of purchases up to an event of the book, in their order. Index: transaction_messages_in_order; sorted here, because on
 * Postgres 15 to 16 an index of several keys gives no order for a list of values.
 */
export async function readPastMessages(
  db: Queryable,
  bookId: BookId,
  { ids, through }: { ids: readonly Uuid[]; through: bigint },
): Promise<Map<Uuid, PastMessage[]>> {
  const { rows } = await db.query<PastRow>({
    name: 'backtest.messages',
    text: `SELECT ${MESSAGE_COLUMNS}, ordinal, currency, checks -> 'threeDSecure' ->> 'result' AS three_d_secure, decision,
        created_at
      FROM transaction_messages WHERE book_id = $1 AND transaction_id = ANY ($2::uuid[]) AND event_sequence <= $3`,
    values: [bookId, plainArray(ids), through],
  });
  const found = new Map<Uuid, PastMessage[]>();
  for (const row of rows.toSorted((one, other) => one.ordinal - other.ordinal)) {
    const message = pastFromRow(row);
    const of = found.get(row.transaction_id);
    if (of === undefined) found.set(row.transaction_id, [message]);
    else of.push(message);
  }
  return found;
}

function pastFromRow(row: PastRow): PastMessage {
  return {
    message: messageFromRow(row),
    eventSequence: Number(row.event_sequence),
    currency: row.currency,
    threeDSecure: row.three_d_secure,
    decision: row.decision,
    at: row.created_at,
  };
}

/** The cards of a line, and whether one of them is bound to a merchant. Indexes: cards_by_line. */
export async function readCardsOfLine(
  db: Queryable,
  bookId: BookId,
  lineId: Uuid,
): Promise<{ cardIds: readonly Uuid[]; isLocked: boolean }> {
  const { rows } = await db.query<{ id: Uuid; type: string }>({
    name: 'backtest.cards_of_line',
    text: 'SELECT id, type FROM cards WHERE book_id = $1 AND line_id = $2 ORDER BY id',
    values: [bookId, lineId],
  });
  return { cardIds: rows.map(({ id }) => id), isLocked: rows.some(({ type }) => type === 'merchant_locked') };
}
