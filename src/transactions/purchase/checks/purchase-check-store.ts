/** Purchases with all that must agree with them, as of one moment. */
import { plainArray } from '../../../db/columns.ts';
import type { Pool, Transaction } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, grouped, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Instant } from '../../../values/clock.ts';
import type { Uuid } from '../../../values/ids.ts';
import { type StoredDispute, transactionDisputes } from '../../disputes/dispute-table.ts';
import { type KeptMessage, messagesOfPurchases } from '../../message/messages-store.ts';
import type { TransactionFlag } from '../message-flags.ts';
import { purchaseHoldId } from '../purchase-id.ts';
import { type StoredPurchase, transactions } from '../purchase-table.ts';
import type { MessageFactsKept } from './purchase-replay.ts';

export interface PurchaseHistory {
  readonly purchase: StoredPurchase;
  readonly messages: readonly KeptMessage[];
  readonly disputes: readonly StoredDispute[];
  /** What each of its holds has left. */
  readonly holds: readonly bigint[];
  /** What else the row of each message has. */
  readonly kept: ReadonlyMap<Uuid, MessageFactsKept>;
  /** Type and sequence of those of its messages, in order: all but those of PATCH and erasures. */
  readonly events: readonly string[];
  /** The purchase that it names as resembling it, if that is there. */
  readonly resembled: Resembled | undefined;
  readonly entries: readonly BookedStep[];
  /** The same by message and dispute. */
  readonly stepsOf: ReadonlyMap<Uuid, readonly BookedStep[]>;
}

export interface Resembled {
  readonly lineId: Uuid;
  readonly merchantId: string;
}

type Page = { after: Uuid | undefined; limit: number };

/** A page in the order of first messages. Indexes: transactions_in_order, and those below. */
export function readPurchaseHistories(pool: Pool, bookId: BookId, { after, limit }: Page): Promise<PurchaseHistory[]> {
  return withHistory(pool, bookId, {
    which: `book_id = $1 AND begun_by > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY begun_by LIMIT $3`,
    values: [after ?? null, limit],
  });
}

/** Of purchases, or of disputes of them. Ids of other resources are skipped. Indexes: transactions_pkey, transaction_disputes_pkey. */
export function readPurchaseHistoriesById(
  pool: Pool,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<PurchaseHistory[]> {
  return withHistory(pool, bookId, {
    which: `book_id = $1 AND id IN (
      SELECT unnest($2::uuid[]) UNION ALL
      SELECT transaction_id FROM transaction_disputes WHERE book_id = $1 AND id = ANY ($2::uuid[]))`,
    values: [plainArray(ids)],
  });
}

function withHistory(
  pool: Pool,
  bookId: BookId,
  { which, values }: { which: string; values: readonly unknown[] },
): Promise<PurchaseHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const { rows } = await trx.query(`SELECT ${transactions.selected()} FROM transactions WHERE ${which}`, [
      bookId,
      ...values,
    ]);
    const found = rows.map((row) => transactions.fromRow(row));
    const ids = found.map(({ id }) => id);
    const messages = await messagesOfPurchases.load(trx, bookId, ids);
    const disputes = await readDisputes(trx, bookId, ids);
    const holds = await readHolds(trx, bookId, found);
    const events = await readEvents(trx, bookId, ids);
    const kept = await readKept(trx, bookId, ids);
    const resembled = await readResembled(trx, bookId, found);
    const own = (id: Uuid) => [
      ...(messages.get(id)?.messages ?? []).map((message) => message.id),
      ...(disputes.get(id) ?? []).map((dispute) => dispute.id),
    ];
    const steps = await readStepsOf(trx, bookId, ids.flatMap(own));
    return found.map((purchase) => {
      const of = own(purchase.id);
      return {
        purchase,
        messages: messages.get(purchase.id)?.messages ?? [],
        disputes: disputes.get(purchase.id) ?? [],
        holds: holdIds(purchase).flatMap((id) => holds.get(id) ?? []),
        kept,
        events: events.get(purchase.id) ?? [],
        resembled: purchase.resembles === null ? undefined : resembled.get(purchase.resembles),
        entries: of.flatMap((id) => steps.get(id) ?? []),
        stepsOf: new Map(of.map((id) => [id, steps.get(id) ?? []])),
      };
    });
  });
}

/** Index: transaction_disputes_by_transaction_id. */
async function readDisputes(
  trx: Transaction,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<Map<Uuid, StoredDispute[]>> {
  const { rows } = await trx.query(
    `SELECT ${transactionDisputes.selected()} FROM transaction_disputes
     WHERE book_id = $1 AND transaction_id = ANY ($2::uuid[]) ORDER BY transaction_id, ordinal`,
    [bookId, plainArray(ids)],
  );
  const found = new Map<Uuid, StoredDispute[]>();
  for (const dispute of rows.map((row) => transactionDisputes.fromRow(row)))
    found.set(dispute.transactionId, [...(found.get(dispute.transactionId) ?? []), dispute]);
  return found;
}

/** What each hold of these purchases has left. Index: holds_pkey. */
async function readHolds(
  trx: Transaction,
  bookId: BookId,
  found: readonly StoredPurchase[],
): Promise<ReadonlyMap<Uuid, bigint>> {
  const { rows } = await trx.query<{ id: Uuid; remaining: bigint }>(
    'SELECT id, remaining FROM holds WHERE book_id = $1 AND id = ANY ($2::uuid[])',
    [bookId, plainArray(found.flatMap(holdIds))],
  );
  return new Map(rows.map(({ id, remaining }) => [id, remaining]));
}

/** Those that it has had, and one beyond them: it is not there. */
function holdIds({ id, holds }: StoredPurchase): Uuid[] {
  return Array.from({ length: holds + 1 }, (_, at) => purchaseHoldId(id, at + 1));
}

/** Index: events_by_object. */
async function readEvents(
  trx: Transaction,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, readonly string[]>> {
  const { rows } = await trx.query<{ object_id: Uuid; type: string; sequence: bigint }>(
    `SELECT object_id, type, sequence FROM events WHERE book_id = $1 AND object_id = ANY ($2::uuid[])
       AND type NOT IN ('transaction.updated', 'personal_data.erased') ORDER BY sequence`,
    [bookId, plainArray(ids)],
  );
  return grouped(
    rows,
    (row) => row.object_id,
    ({ type, sequence }) => `${type} ${sequence}`,
  );
}

/** By message. Index: transaction_messages_in_order. */
async function readKept(
  trx: Transaction,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, MessageFactsKept>> {
  const { rows } = await trx.query<{
    id: Uuid;
    event_sequence: bigint;
    flags: readonly TransactionFlag[];
    created_at: Instant;
  }>(
    `SELECT id, event_sequence, flags, created_at FROM transaction_messages
     WHERE book_id = $1 AND transaction_id = ANY ($2::uuid[])`,
    [bookId, plainArray(ids)],
  );
  return new Map(
    rows.map(({ id, event_sequence: eventSequence, flags, created_at: createdAt }) => [
      id,
      { id, eventSequence, flags, createdAt },
    ]),
  );
}

/** Index: transactions_pkey. */
async function readResembled(
  trx: Transaction,
  bookId: BookId,
  found: readonly StoredPurchase[],
): Promise<ReadonlyMap<Uuid, Resembled>> {
  const ids = found.flatMap(({ resembles }) => resembles ?? []);
  if (ids.length === 0) return new Map();
  const { rows } = await trx.query<{ id: Uuid; line_id: Uuid; merchant_id: string }>(
    'SELECT id, line_id, merchant_id FROM transactions WHERE book_id = $1 AND id = ANY ($2::uuid[])',
    [bookId, plainArray(ids)],
  );
  return new Map(rows.map((row) => [row.id, { lineId: row.line_id, merchantId: row.merchant_id }]));
}
