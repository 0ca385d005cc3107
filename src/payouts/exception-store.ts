/** Exceptions: what a person must look at. */
import type { Instant } from '../clock.ts';
import { column, instantArray, plainArray, rowsOf, textArray } from '../db/columns.ts';
import { updateExactly } from '../db/exactly.ts';
import type { Pool } from '../db/pool.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { type Log, type Table, WRITE_ORDER } from '../ledger/table.ts';
import { MISMATCH_KINDS } from './rail-mismatch.ts';

export interface Exception {
  readonly id: Uuid;
  /** `paid_after_failed`, `failed_after_paid`, `return_exceeds_payout`, … */
  readonly kind: string;
  readonly resource: string;
  readonly resourceId: Uuid;
  readonly detail: string;
  readonly createdAt: Instant;
}

export const exceptions: Log<Exception> = {
  name: 'exceptions',
  writeOrder: WRITE_ORDER.resourceChildren,
  async append(trx, bookId, rows) {
    await trx.query({
      name: 'exceptions.append',
      text: `INSERT INTO exceptions (book_id, id, kind, resource, resource_id, detail, created_at, status)
        SELECT $1, v.*, 'open' FROM unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::text[], $7::timestamptz[]) v`,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        textArray(column(rows, (row) => row.kind)),
        textArray(column(rows, (row) => row.resource)),
        plainArray(column(rows, (row) => row.resourceId)),
        textArray(column(rows, (row) => row.detail)),
        instantArray(column(rows, (row) => row.createdAt)),
      ],
    });
  },
};

/** One that may have been opened before: by an id that follows from what it is about. */
export interface OpenedException extends Exception {
  readonly status: 'open' | 'resolved';
  readonly resolvedAt: Instant | null;
}

/** Exceptions of which there is one at most, and which a person resolves. */
export const openedExceptions: Table<OpenedException> = {
  name: 'exceptions',
  writeOrder: WRITE_ORDER.resourceChildren,
  /** Index: exceptions_pkey. */
  async load(trx, bookId, ids) {
    const { rows } = await trx.query({
      name: 'exceptions.load',
      text: `SELECT id, kind, resource, resource_id, detail, status, created_at, resolved_at FROM exceptions
        WHERE book_id = $1 AND id = ANY ($2::uuid[])`,
      values: [bookId, plainArray(ids)],
    });
    return new Map(
      rows.map((row): [Uuid, OpenedException] => [
        row.id,
        {
          id: row.id,
          kind: row.kind,
          resource: row.resource,
          resourceId: row.resource_id,
          detail: row.detail,
          status: row.status,
          createdAt: row.created_at,
          resolvedAt: row.resolved_at,
        },
      ]),
    );
  },
  async insert(trx, bookId, rows) {
    await trx.query({
      name: 'exceptions.insert',
      text: `INSERT INTO exceptions (book_id, id, kind, resource, resource_id, detail, status, created_at, resolved_at)
        SELECT $1, ${rowsOf('uuid', 'text', 'text', 'uuid', 'text', 'text', 'timestamptz', 'timestamptz')}`,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        textArray(column(rows, (row) => row.kind)),
        textArray(column(rows, (row) => row.resource)),
        plainArray(column(rows, (row) => row.resourceId)),
        textArray(column(rows, (row) => row.detail)),
        textArray(column(rows, (row) => row.status)),
        instantArray(column(rows, (row) => row.createdAt)),
        instantArray(column(rows, (row) => row.resolvedAt)),
      ],
    });
  },
  /** Only its state changes. */
  async update(trx, bookId, rows) {
    await updateExactly(trx, {
      name: 'exceptions.update',
      text: `UPDATE exceptions SET status = v.status, resolved_at = v.resolved_at
        FROM (SELECT ${rowsOf('uuid', 'text', 'timestamptz')}) AS v (id, status, resolved_at)
        WHERE exceptions.book_id = $1 AND exceptions.id = ANY ($2::uuid[]) AND exceptions.id = v.id`,
      values: [
        bookId,
        plainArray(column(rows, (row) => row.id)),
        textArray(column(rows, (row) => row.status)),
        instantArray(column(rows, (row) => row.resolvedAt)),
      ],
      rows: rows.length,
    });
  },
};

/** Whether the rail's word about a payout was about something else, and no person has resolved it. Index: exceptions_by_resource. */
export async function hasOpenMismatch(pool: Pool, bookId: BookId, payoutId: Uuid): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM exceptions WHERE book_id = $1 AND resource_id = $2 AND resource = 'payout' AND status = 'open'
       AND kind = ANY ($3::text[]) LIMIT 1`,
    [bookId, payoutId, textArray(MISMATCH_KINDS)],
  );
  return rowCount === 1;
}

/** Ids of the exceptions of a payout that are open, a hundred at most. Index: exceptions_by_resource. */
export async function openExceptionsOf(pool: Pool, bookId: BookId, payoutId: Uuid): Promise<Uuid[]> {
  const { rows } = await pool.query<{ id: Uuid }>(
    `SELECT id FROM exceptions WHERE book_id = $1 AND resource_id = $2 AND resource = 'payout' AND status = 'open' LIMIT 100`,
    [bookId, payoutId],
  );
  return rows.map(({ id }) => id);
}
