import type { Instant } from '../clock.ts';
import { textArray } from '../db/columns.ts';
import type { Page, PageRequest } from '../db/page.ts';
import { pageOf } from '../db/page.ts';
import type { Queryable } from '../db/pool.ts';
import { ApiError } from '../errors.ts';
import { publicId, type Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { listRows } from '../ledger/list-rows.ts';
import type { Payment, PaymentStatus } from './payment.ts';
import type { PaymentOperation } from './payment-operation.ts';
import { paymentOperations } from './payment-operation-table.ts';
import { payments } from './payment-table.ts';
import type { Release } from './share.ts';
import { releases } from './share-table.ts';

export interface PaymentFilter {
  /** The account that they are for. */
  readonly accountId?: Uuid;
  readonly statuses?: readonly PaymentStatus[];
  readonly createdGte?: Instant;
  readonly createdLt?: Instant;
  readonly externalId?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * A page of payments, newest first. Indexes: payments_by_account, payments_by_external_id, payments_by_status, metadata_index; else
 * payments_pkey.
 */
export function listPayments(
  db: Queryable,
  bookId: BookId,
  { accountId, statuses, createdGte, createdLt, externalId, metadata }: PaymentFilter,
  page: PageRequest,
): Promise<Page<Payment>> {
  const among = { account_id: valuesOf(accountId), external_id: valuesOf(externalId), status: statuses };
  const filter = { among, created: { gte: createdGte, lt: createdLt }, metadata };
  return listRows(db, { table: payments, object: 'payment' }, { bookId, filter, page });
}

/** A page of the releases of a book, or of one account. Index: payment_releases_by_account, payment_releases_pkey. */
export function listReleases(
  db: Queryable,
  bookId: BookId,
  { accountId }: { accountId?: Uuid | undefined },
  page: PageRequest,
): Promise<Page<Release>> {
  const filter = { among: { account_id: valuesOf(accountId) } };
  return listRows(db, { table: releases, object: 'release' }, { bookId, filter, page });
}

/** A page of one kind of a payment's operations, newest first. Index: payment_operations_by_payment. */
export async function listOperations(
  db: Queryable,
  { bookId, paymentId, kind }: { bookId: BookId; paymentId: Uuid; kind: 'capture' | 'refund' },
  page: PageRequest,
): Promise<Page<PaymentOperation>> {
  const [operator, direction] = page.endingBefore === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
  const cursor = await knownCursor(db, { bookId, kind, paymentId }, page);
  const bound = cursor === undefined ? '' : ` AND id ${operator} $5::uuid`;
  const { rows } = await db.query({
    name: `payment_operations.of_payment_${direction.toLowerCase()}_${cursor === undefined ? 0 : 1}`,
    text: `SELECT ${paymentOperations.selected()} FROM payment_operations
      WHERE book_id = $1 AND payment_id = $2 AND kind = $3${bound} ORDER BY id ${direction} LIMIT $4`,
    values: [bookId, paymentId, kind, page.limit + 1, ...(cursor === undefined ? [] : [cursor])],
  });
  return pageOf(rows.map(paymentOperations.fromRow), page);
}

/** A page of the refunds of a book, newest first. Index: payment_refunds. */
export async function listRefunds(db: Queryable, bookId: BookId, page: PageRequest): Promise<Page<PaymentOperation>> {
  const [operator, direction] = page.endingBefore === undefined ? ['<', 'DESC'] : ['>', 'ASC'];
  const cursor = await knownCursor(db, { bookId, kind: 'refund' }, page);
  const bound = cursor === undefined ? '' : ` AND id ${operator} $3::uuid`;
  const { rows } = await db.query({
    name: `payment_operations.refunds_${direction.toLowerCase()}_${cursor === undefined ? 0 : 1}`,
    text: `SELECT ${paymentOperations.selected()} FROM payment_operations
      WHERE book_id = $1 AND kind = 'refund'${bound} ORDER BY id ${direction} LIMIT $2`,
    values: [bookId, page.limit + 1, ...(cursor === undefined ? [] : [cursor])],
  });
  return pageOf(rows.map(paymentOperations.fromRow), page);
}

/** The page's cursor. Throws ApiError `cursor_invalid` for one that is not in the list. */
async function knownCursor(
  db: Queryable,
  { bookId, kind, paymentId }: { bookId: BookId; kind: 'capture' | 'refund'; paymentId?: Uuid },
  { startingAfter, endingBefore }: PageRequest,
): Promise<Uuid | undefined> {
  const cursor = startingAfter ?? endingBefore;
  if (cursor === undefined) return undefined;
  const found = await paymentOperations.find(db, bookId, cursor);
  if (found?.kind === kind && (paymentId === undefined || found.paymentId === paymentId)) return cursor;
  throw new ApiError('cursor_invalid', {
    param: startingAfter === undefined ? 'ending_before' : 'starting_after',
    detail: `There is no ${kind} ${publicId(kind, cursor)} in this list.`,
  });
}

/** Operations by what their acquirer knows them by. Index: payment_operations_by_reference. */
export async function findOperationsByReference(
  db: Queryable,
  bookId: BookId,
  references: readonly string[],
): Promise<Map<string, PaymentOperation>> {
  const { rows } = await db.query({
    name: 'payment_operations.by_reference',
    text: `SELECT ${paymentOperations.selected()} FROM payment_operations
      WHERE book_id = $1 AND reference = ANY ($2::text[])`,
    values: [bookId, textArray(references)],
  });
  return new Map(rows.map((row) => [row.reference, paymentOperations.fromRow(row)]));
}

const valuesOf = (value: string | undefined) => (value === undefined ? undefined : [value]);
