/** All SQL of payouts that the committer runs. Lists for people are in payout-list-store.ts. */
import type { Instant } from '../clock.ts';
import { byteaArray, column, instantArray, joinedJson, plainArray, rowsOf, textArray } from '../db/columns.ts';
import { updateExactly } from '../db/exactly.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { type Table, WRITE_ORDER } from '../ledger/table.ts';
import type { Payout } from './payout.ts';

export interface PayoutRow {
  id: string;
  status: Payout['status'];
  account_id: string;
  hold_id: string;
  amount: bigint;
  fee: bigint;
  amount_returned: bigint;
  returns: number;
  currency: string;
  rail: string;
  destination_type: string;
  destination_account_id: string | null;
  destination_sealed: Buffer | null;
  destination_masked: string | null;
  destination_provider: string | null;
  description: string | null;
  external_id: string | null;
  metadata: Record<string, string>;
  end_to_end_id: string;
  outcome: 'unknown' | null;
  inquiries: number;
  next_inquiry_at: Instant | null;
  sent_at: Instant | null;
  failure_code: Payout['failureCode'];
  rail_code: string | null;
  rail_reference: string | null;
  entry_ids: string[];
  request_id: string;
  version: number;
  due_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

export const PAYOUT_COLUMNS = `id, status, account_id, hold_id, amount, fee, amount_returned, returns, currency, rail,
  destination_type, destination_account_id, destination_sealed, destination_masked, destination_provider,
  description, external_id, metadata, end_to_end_id, outcome, inquiries, next_inquiry_at, sent_at,
  failure_code, rail_code, rail_reference, entry_ids, request_id, version, due_at, created_at, updated_at`;

export function payoutFromRow(row: PayoutRow): Payout {
  return {
    id: row.id,
    status: row.status,
    accountId: row.account_id,
    holdId: row.hold_id,
    amount: row.amount,
    fee: row.fee,
    amountReturned: row.amount_returned,
    returns: row.returns,
    currency: row.currency,
    rail: row.rail,
    destination:
      row.destination_type === 'account'
        ? { type: 'account', accountId: row.destination_account_id! }
        : {
            type: 'cliq',
            aliasSealed: row.destination_sealed!,
            aliasMasked: row.destination_masked!,
            provider: row.destination_provider,
          },
    description: row.description,
    externalId: row.external_id,
    metadata: row.metadata,
    endToEndId: row.end_to_end_id,
    outcome: row.outcome,
    inquiries: row.inquiries,
    nextInquiryAt: row.next_inquiry_at,
    sentAt: row.sent_at,
    failureCode: row.failure_code,
    railCode: row.rail_code,
    railReference: row.rail_reference,
    entryIds: row.entry_ids,
    requestId: row.request_id,
    version: row.version,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Payouts by id, in one query. Index: payouts_pkey. No lock: inside a batch the book's row is held. */
export async function loadPayouts(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, Payout>> {
  const { rows } = await db.query<PayoutRow>({
    name: 'payouts.load',
    text: `SELECT ${PAYOUT_COLUMNS} FROM payouts WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
    values: [bookId, plainArray(ids)],
  });
  return new Map(rows.map((row) => [row.id, payoutFromRow(row)]));
}

/** Payouts by the ids that their rail knows them by. Index: payouts_book_id_end_to_end_id_key. */
export async function findPayoutsByEndToEndId(
  db: Queryable,
  bookId: BookId,
  endToEndIds: readonly string[],
): Promise<Map<string, Payout>> {
  const { rows } = await db.query<PayoutRow>({
    name: 'payouts.by_end_to_end_id',
    text: `SELECT ${PAYOUT_COLUMNS} FROM payouts WHERE book_id = $1 AND end_to_end_id = ANY ($2::text[])`,
    values: [bookId, textArray(endToEndIds)],
  });
  return new Map(rows.map((row) => [row.end_to_end_id, payoutFromRow(row)]));
}

const UPDATE_PAYOUTS = `UPDATE payouts SET status = v.status, amount_returned = v.amount_returned, returns = v.returns, outcome = v.outcome,
    inquiries = v.inquiries, next_inquiry_at = v.next_inquiry_at, sent_at = v.sent_at, failure_code = v.failure_code,
    rail_code = v.rail_code, rail_reference = v.rail_reference, entry_ids = v.entry_ids, version = v.version,
    due_at = v.due_at, updated_at = v.updated_at, stuck_at = NULL, stuck_error = NULL
  FROM (SELECT ${rowsOf('uuid', 'text', 'bigint', 'smallint', 'text', 'smallint', 'timestamptz', 'timestamptz', 'text', 'text', 'text', 'jsonb', 'integer', 'timestamptz', 'timestamptz')})
    AS v (id, status, amount_returned, returns, outcome, inquiries, next_inquiry_at, sent_at, failure_code,
      rail_code, rail_reference, entry_ids, version, due_at, updated_at)
  WHERE payouts.book_id = $1 AND payouts.id = ANY ($2::uuid[]) AND payouts.id = v.id`;

const INSERT_PAYOUTS = `INSERT INTO payouts (book_id, ${PAYOUT_COLUMNS})
  SELECT $1, ${rowsOf('uuid', 'text', 'uuid', 'uuid', 'bigint', 'bigint', 'bigint', 'smallint', 'text', 'text', 'text', 'uuid', 'bytea', 'text', 'text', 'text', 'text', 'jsonb', 'text', 'text', 'smallint', 'timestamptz', 'timestamptz', 'text', 'text', 'text', 'jsonb', 'uuid', 'integer', 'timestamptz', 'timestamptz', 'timestamptz')}`;

export const payouts: Table<Payout> = {
  name: 'payouts',
  writeOrder: WRITE_ORDER.resources,
  load: loadPayouts,

  /** The whole row: a payout may have come a long way within the batch that made it. */
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'payouts.insert',
      text: INSERT_PAYOUTS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        textArray(column(rows, (row) => row.status)),
        plainArray(column(rows, (row) => row.accountId)),
        plainArray(column(rows, (row) => row.holdId)),
        plainArray(column(rows, (row) => row.amount)),
        plainArray(column(rows, (row) => row.fee)),
        plainArray(column(rows, (row) => row.amountReturned)),
        plainArray(column(rows, (row) => row.returns)),
        textArray(column(rows, (row) => row.currency)),
        textArray(column(rows, (row) => row.rail)),
        textArray(column(rows, (row) => row.destination.type)),
        plainArray(column(rows, ({ destination }) => (destination.type === 'account' ? destination.accountId : null))),
        byteaArray(
          column(rows, ({ destination }) => (destination.type === 'account' ? null : destination.aliasSealed)),
        ),
        textArray(column(rows, ({ destination }) => (destination.type === 'account' ? null : destination.aliasMasked))),
        textArray(column(rows, ({ destination }) => (destination.type === 'account' ? null : destination.provider))),
        textArray(column(rows, (row) => row.description)),
        textArray(column(rows, (row) => row.externalId)),
        joinedJson(column(rows, (row) => JSON.stringify(row.metadata))),
        textArray(column(rows, (row) => row.endToEndId)),
        textArray(column(rows, (row) => row.outcome)),
        plainArray(column(rows, (row) => row.inquiries)),
        instantArray(column(rows, (row) => row.nextInquiryAt)),
        instantArray(column(rows, (row) => row.sentAt)),
        textArray(column(rows, (row) => row.failureCode)),
        textArray(column(rows, (row) => row.railCode)),
        textArray(column(rows, (row) => row.railReference)),
        joinedJson(column(rows, (row) => JSON.stringify(row.entryIds))),
        plainArray(column(rows, (row) => row.requestId)),
        plainArray(column(rows, (row) => row.version)),
        instantArray(column(rows, (row) => row.dueAt)),
        instantArray(column(rows, (row) => row.createdAt)),
        instantArray(column(rows, (row) => row.updatedAt)),
      ],
    });
  },

  /** A transition also takes back the mark of a row that was stuck: somebody has moved it. */
  async update(trx, bookId, rows) {
    await updateExactly(trx, {
      name: 'payouts.update',
      text: UPDATE_PAYOUTS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        textArray(column(rows, (row) => row.status)),
        plainArray(column(rows, (row) => row.amountReturned)),
        plainArray(column(rows, (row) => row.returns)),
        textArray(column(rows, (row) => row.outcome)),
        plainArray(column(rows, (row) => row.inquiries)),
        instantArray(column(rows, (row) => row.nextInquiryAt)),
        instantArray(column(rows, (row) => row.sentAt)),
        textArray(column(rows, (row) => row.failureCode)),
        textArray(column(rows, (row) => row.railCode)),
        textArray(column(rows, (row) => row.railReference)),
        joinedJson(column(rows, (row) => JSON.stringify(row.entryIds))),
        plainArray(column(rows, (row) => row.version)),
        instantArray(column(rows, (row) => row.dueAt)),
        instantArray(column(rows, (row) => row.updatedAt)),
      ],
      rows: rows.length,
    });
  },
};
