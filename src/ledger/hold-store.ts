import type { Instant } from '../clock.ts';
import { column, instantArray, plainArray, textArray } from '../db/columns.ts';
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
      text: `INSERT INTO holds (book_id, ${COLUMNS})
        SELECT $1, * FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::bigint[], $8::bigint[],
          $9::text[], $10::timestamptz[], $11::smallint[], $12::timestamptz[], $13::timestamptz[])`,
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
      text: `UPDATE holds SET remaining = v.remaining, status = v.status, steps = v.steps, updated_at = v.updated_at
        FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::smallint[], $6::timestamptz[])
          AS v (id, remaining, status, steps, updated_at)
        WHERE holds.book_id = $1 AND holds.id = ANY ($2::uuid[]) AND holds.id = v.id`,
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

export const holdSteps: Log<HoldStep> = {
  name: 'hold_steps',
  writeOrder: WRITE_ORDER.holdSteps,
  async append(trx, bookId, rows) {
    await trx.query({
      name: 'hold_steps.append',
      text: `INSERT INTO hold_steps (book_id, hold_id, ordinal, kind, amount, created_at)
        SELECT $1, * FROM unnest($2::uuid[], $3::smallint[], $4::text[], $5::bigint[], $6::timestamptz[])`,
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
