import type { Instant } from '../clock.ts';
import { column, instantArray, plainArray, rowsOf, textArray } from '../db/columns.ts';
import { updateExactly } from '../db/exactly.ts';
import type { Hold, HoldStep } from './hold.ts';
import { type Log, type Table, WRITE_ORDER } from './table.ts';

interface HoldRow {
  id: string;
  account_id: string;
  resource: string;
  resource_id: string;
  currency: string;
  amount: bigint;
  remaining: bigint;
  status: Hold['status'];
  expires_at: Instant | null;
  steps: number;
  created_at: Instant;
  updated_at: Instant;
}

const COLUMNS =
  'id, account_id, resource, resource_id, currency, amount, remaining, status, expires_at, steps, created_at, updated_at';

function holdFromRow(row: HoldRow): Hold {
  return {
    id: row.id,
    accountId: row.account_id,
    resource: row.resource,
    resourceId: row.resource_id,
    currency: row.currency,
    amount: row.amount,
    remaining: row.remaining,
    status: row.status,
    expiresAt: row.expires_at,
    steps: row.steps,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const UPDATE_HOLDS = `UPDATE holds SET remaining = v.remaining, status = v.status, steps = v.steps, updated_at = v.updated_at
  FROM (SELECT ${rowsOf('uuid', 'bigint', 'text', 'smallint', 'timestamptz')}) AS v (id, remaining, status, steps, updated_at)
  WHERE holds.book_id = $1 AND holds.id = ANY ($2::uuid[]) AND holds.id = v.id`;

const INSERT_HOLDS = `INSERT INTO holds (book_id, ${COLUMNS})
  SELECT $1, ${rowsOf('uuid', 'uuid', 'text', 'uuid', 'text', 'bigint', 'bigint', 'text', 'timestamptz', 'smallint', 'timestamptz', 'timestamptz')}`;

export const holds: Table<Hold> = {
  name: 'holds',
  writeOrder: WRITE_ORDER.holds,

  /** Index: holds_pkey. */
  async load(trx, bookId, ids) {
    const { rows } = await trx.query<HoldRow>({
      name: 'holds.load',
      text: `SELECT ${COLUMNS} FROM holds WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(rows.map((row) => [row.id, holdFromRow(row)]));
  },

  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'holds.insert',
      text: INSERT_HOLDS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        plainArray(column(rows, (row) => row.accountId)),
        textArray(column(rows, (row) => row.resource)),
        plainArray(column(rows, (row) => row.resourceId)),
        textArray(column(rows, (row) => row.currency)),
        plainArray(column(rows, (row) => row.amount)),
        plainArray(column(rows, (row) => row.remaining)),
        textArray(column(rows, (row) => row.status)),
        instantArray(column(rows, (row) => row.expiresAt)),
        plainArray(column(rows, (row) => row.steps)),
        instantArray(column(rows, (row) => row.createdAt)),
        instantArray(column(rows, (row) => row.updatedAt)),
      ],
    });
  },

  async update(trx, bookId, rows) {
    await updateExactly(trx, {
      name: 'holds.update',
      text: UPDATE_HOLDS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        plainArray(column(rows, (row) => row.remaining)),
        textArray(column(rows, (row) => row.status)),
        plainArray(column(rows, (row) => row.steps)),
        instantArray(column(rows, (row) => row.updatedAt)),
      ],
      rows: rows.length,
    });
  },
};

const INSERT_HOLD_STEPS = `INSERT INTO hold_steps (book_id, hold_id, ordinal, kind, amount, created_at)
  SELECT $1, ${rowsOf('uuid', 'smallint', 'text', 'bigint', 'timestamptz')}`;

export const holdSteps: Log<HoldStep> = {
  name: 'hold_steps',
  writeOrder: WRITE_ORDER.holdSteps,
  async append(trx, bookId, rows) {
    await trx.query({
      name: 'hold_steps.append',
      text: INSERT_HOLD_STEPS,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.holdId)),
        plainArray(column(rows, (row) => row.ordinal)),
        textArray(column(rows, (row) => row.kind)),
        plainArray(column(rows, (row) => row.amount)),
        instantArray(column(rows, (row) => row.createdAt)),
      ],
    });
  },
};
