/** Rows beneath a payout: its returns and the answers of its rail. */
import type { Instant } from '../clock.ts';
import { column, instantArray, joinedJson, plainArray, rowsOf, textArray } from '../db/columns.ts';
import type { Queryable } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import { toJson } from '../json.ts';
import type { BookId } from '../ledger/book.ts';
import { type Table, WRITE_ORDER } from '../ledger/table.ts';

export interface PayoutReturn {
  readonly id: Uuid;
  readonly payoutId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
  readonly reason: string | null;
  readonly entryId: Uuid;
  readonly createdAt: Instant;
}

interface PayoutReturnRow {
  id: string;
  payout_id: string;
  amount: bigint;
  currency: string;
  reason: string | null;
  entry_id: string;
  created_at: Instant;
}

const RETURN_COLUMNS = 'id, payout_id, amount, currency, reason, entry_id, created_at';

function returnFromRow(row: PayoutReturnRow): PayoutReturn {
  return {
    id: row.id,
    payoutId: row.payout_id,
    amount: row.amount,
    currency: row.currency,
    reason: row.reason,
    entryId: row.entry_id,
    createdAt: row.created_at,
  };
}

const INSERT_PAYOUT_RETURNS = `INSERT INTO payout_returns (book_id, ${RETURN_COLUMNS})
  SELECT $1, ${rowsOf('uuid', 'uuid', 'bigint', 'text', 'text', 'uuid', 'timestamptz')}`;

/** Returns carry the rail's own id, so that one told twice is booked once. */
export const payoutReturns: Table<PayoutReturn> = {
  name: 'payout_returns',
  writeOrder: WRITE_ORDER.resourceChildren,
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<PayoutReturnRow>({
      name: 'payout_returns.load',
      text: `SELECT ${RETURN_COLUMNS} FROM payout_returns WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(rows.map((row) => [row.id, returnFromRow(row)]));
  },
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'payout_returns.insert',
      text: INSERT_PAYOUT_RETURNS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        plainArray(column(rows, (row) => row.payoutId)),
        plainArray(column(rows, (row) => row.amount)),
        textArray(column(rows, (row) => row.currency)),
        textArray(column(rows, (row) => row.reason)),
        plainArray(column(rows, (row) => row.entryId)),
        instantArray(column(rows, (row) => row.createdAt)),
      ],
    });
  },
  update() {
    return Promise.reject(new Error('A payout return never changes'));
  },
};

/** A payout's returns, oldest first. At most as many as its smallint counter holds. Index: payout_returns_by_payout. */
export async function listReturns(db: Queryable, bookId: BookId, payoutId: Uuid): Promise<PayoutReturn[]> {
  const { rows } = await db.query<PayoutReturnRow>({
    name: 'payout_returns.list',
    text: `SELECT ${RETURN_COLUMNS} FROM payout_returns WHERE book_id = $1 AND payout_id = $2 ORDER BY entry_id LIMIT 1000`,
    values: [bookId, payoutId],
  });
  return rows.map(returnFromRow);
}

export interface StoredRailAnswer {
  readonly id: Uuid;
  readonly payoutId: Uuid;
  readonly call: 'submit' | 'inquire' | 'notice';
  readonly answer: unknown;
  readonly receivedAt: Instant;
}

interface RailAnswerRow {
  id: string;
  payout_id: string;
  call: StoredRailAnswer['call'];
  answer: unknown;
  received_at: Instant;
}

const INSERT_RAIL_ANSWERS = `INSERT INTO rail_answers (book_id, id, payout_id, call, answer, received_at)
  SELECT $1, ${rowsOf('uuid', 'uuid', 'text', 'jsonb', 'timestamptz')}`;

export const railAnswers: Table<StoredRailAnswer> = {
  name: 'rail_answers',
  writeOrder: WRITE_ORDER.resourceChildren,
  /** Nearly always finds nothing: only what is told again is there already. Index: rail_answers_pkey. */
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<RailAnswerRow>({
      name: 'rail_answers.load',
      text: 'SELECT id, payout_id, call, answer, received_at FROM rail_answers WHERE book_id = $1 AND id = ANY ($2::uuid[])',
      values: [bookId, plainArray(ids)],
    });
    return new Map(
      rows.map(({ id, payout_id, call, answer, received_at }) => [
        id,
        { id, payoutId: payout_id, call, answer, receivedAt: received_at },
      ]),
    );
  },
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'rail_answers.insert',
      text: INSERT_RAIL_ANSWERS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        plainArray(column(rows, (row) => row.payoutId)),
        textArray(column(rows, (row) => row.call)),
        joinedJson(column(rows, (row) => toJson(row.answer))),
        instantArray(column(rows, (row) => row.receivedAt)),
      ],
    });
  },
  update() {
    return Promise.reject(new Error('What a rail said never changes'));
  },
};
