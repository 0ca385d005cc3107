import { plainArray } from '../../../db/columns.ts';
import type { Pool, Queryable } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, grouped, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { PaymentOperation } from '../../operations/payment-operation.ts';
import { paymentOperations } from '../../operations/payment-operation-table.ts';
import { CAPTURES_MAX, type Payment, REFUNDS_MAX } from '../../payment/payment.ts';
import { payments } from '../../payment/payment-table.ts';
import { sharesOf } from '../../refunds/take-funding.ts';
import type { PaymentShare, ShareKind } from '../../shares/share.ts';
import type { Dispute } from '../dispute.ts';
import { disputes } from '../dispute-table.ts';

/** A payment with its captures, refunds and disputes, and what each of them booked, as of one moment. */
export interface PaymentHistory {
  readonly payment: Payment;
  /** The captures, then the refunds, each in order of time. */
  readonly operations: readonly PaymentOperation[];
  readonly disputes: readonly Dispute[];
  readonly steps: ReadonlyMap<Uuid, readonly BookedStep[]>;
  /** The shares that captures with a release schedule put into or are in, and those that failed refunds and won disputes had taken from. */
  readonly shares: ReadonlyMap<Uuid, ShareRead>;
  /** What such captures put into shares, line by line. */
  readonly put: ReadonlyMap<Uuid, readonly PutLine[]>;
  /** Of the book. */
  readonly timeZone: string;
  /** What each of them put into shares, less what it took out. Absent for nothing. */
  readonly inShares: ReadonlyMap<Uuid, bigint>;
}

export type ShareRead = Pick<PaymentShare, 'kind' | 'availableOn' | 'isReserve'>;

export interface PutLine {
  readonly shareId: Uuid;
  readonly amount: bigint;
}

/** All that a payment ever has. */
const OPERATIONS_READ = CAPTURES_MAX + REFUNDS_MAX;

/** Reads a page of payments. Indexes: payments_pkey, payment_operations_by_payment, _disputes_by_payment, entries' (book, resource, step). */
export function readPaymentHistories(
  pool: Pool,
  bookId: BookId,
  page: { after: Uuid | undefined; limit: number },
): Promise<PaymentHistory[]> {
  return withOperations(pool, bookId, {
    name: 'verify.payments',
    text: `SELECT ${payments.selected()} FROM payments
      WHERE book_id = $1 AND id > COALESCE($2::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY id LIMIT $3`,
    values: [bookId, page.after ?? null, page.limit],
  });
}

/** Reads payments by id, or by that of a refund or dispute. Ids of other resources are skipped. */
export function readPaymentHistoriesById(pool: Pool, bookId: BookId, ids: readonly Uuid[]): Promise<PaymentHistory[]> {
  return withOperations(pool, bookId, {
    name: 'verify.payments_by_id',
    text: `SELECT ${payments.selected()} FROM payments
      WHERE book_id = $1 AND id IN (
        SELECT unnest($2::uuid[]) UNION
        SELECT payment_id FROM payment_operations WHERE book_id = $1 AND id = ANY ($2::uuid[]) UNION
        SELECT payment_id FROM payment_disputes WHERE book_id = $1 AND id = ANY ($2::uuid[])
      ) ORDER BY id`,
    values: [bookId, plainArray(ids)],
  });
}

function withOperations(
  pool: Pool,
  bookId: BookId,
  query: { name: string; text: string; values: unknown[] },
): Promise<PaymentHistory[]> {
  return inSnapshot(pool, async (trx) => {
    const found = (await trx.query(query)).rows.map(payments.fromRow);
    if (found.length === 0) return [];
    const { rows } = await trx.query({
      name: 'verify.payment_operations',
      text: `SELECT o.* FROM unnest($2::uuid[]) AS p (id) CROSS JOIN LATERAL (
          SELECT ${paymentOperations.selected()} FROM payment_operations
          WHERE book_id = $1 AND payment_id = p.id AND kind IN ('capture', 'refund') ORDER BY kind, id LIMIT ${OPERATIONS_READ}
        ) AS o`,
      values: [bookId, plainArray(found.map(({ id }) => id))],
    });
    const operations = rows.map(paymentOperations.fromRow);
    const disputed = await readDisputes(trx, bookId, found);
    const ids = [...operations, ...disputed].map(({ id }) => id);
    const steps = await readStepsOf(trx, bookId, ids);
    const inShares = await sumLines(trx, bookId, ids);
    const scheduled = operations.filter(({ releaseSchedule }) => releaseSchedule !== null);
    const put = await readPut(trx, bookId, scheduled);
    const { shares, timeZone } = await readShares(trx, bookId, [
      ...[...put.values()].flat().map(({ shareId }) => shareId),
      ...scheduled.flatMap(sharesOf),
      ...operations.filter(({ kind, status }) => kind === 'refund' && status === 'failed').flatMap(sharesOf),
      ...disputed.filter(({ status }) => status === 'won').flatMap(sharesOf),
    ]);
    const byPayment = new Map<Uuid, PaymentOperation[]>(found.map(({ id }) => [id, []]));
    for (const operation of operations) byPayment.get(operation.paymentId)?.push(operation);
    return found.map((payment) => ({
      payment,
      operations: byPayment.get(payment.id)!,
      disputes: disputed.filter(({ paymentId }) => paymentId === payment.id),
      ...{ steps, inShares, shares, put, timeZone },
    }));
  });
}

/** A row a share, and one without a share, so that the time zone comes with none. Indexes: books_pkey, payment_shares_pkey. */
async function readShares(
  db: Queryable,
  bookId: BookId,
  ids: readonly Uuid[],
): Promise<Pick<PaymentHistory, 'shares' | 'timeZone'>> {
  if (ids.length === 0) return { shares: new Map(), timeZone: 'UTC' };
  const { rows } = await db.query<{
    id: Uuid | null;
    kind: ShareKind;
    available_on: string;
    is_reserve: boolean;
    time_zone: string;
  }>({
    name: 'verify.share_days',
    text: `SELECT s.id, s.kind, s.available_on, s.is_reserve, b.time_zone FROM books b
      LEFT JOIN payment_shares s ON s.book_id = $1 AND s.id = ANY ($2::uuid[]) WHERE b.id = $1`,
    values: [bookId, plainArray([...new Set(ids)])],
  });
  const shares = rows.flatMap(({ id, kind, ...row }): [Uuid, ShareRead][] =>
    id === null ? [] : [[id, { kind, availableOn: row.available_on, isReserve: row.is_reserve }]],
  );
  return { shares: new Map(shares), timeZone: rows[0]!.time_zone };
}

/** Two lines a capture, and two more of one that the acquirer has paid. Index: payment_share_lines_by_operation. */
async function readPut(
  db: Queryable,
  bookId: BookId,
  captures: readonly PaymentOperation[],
): Promise<Map<Uuid, PutLine[]>> {
  if (captures.length === 0) return new Map();
  const { rows } = await db.query<{ operation_id: Uuid; share_id: Uuid; amount: bigint }>({
    name: 'verify.share_lines_put',
    text: `SELECT operation_id, share_id, amount FROM payment_share_lines
      WHERE book_id = $1 AND operation_id = ANY ($2::uuid[]) AND amount > 0 ORDER BY id`,
    values: [bookId, plainArray(captures.map(({ id }) => id))],
  });
  return grouped(
    rows,
    (row) => row.operation_id,
    ({ share_id: shareId, amount }) => ({ shareId, amount }),
  );
}

/** Index: payment_share_lines_by_operation. */
async function sumLines(db: Queryable, bookId: BookId, ids: readonly Uuid[]): Promise<Map<Uuid, bigint>> {
  const { rows } = await db.query<{ operation_id: Uuid; amount: bigint }>({
    name: 'verify.share_lines_of',
    text: `SELECT operation_id, sum(amount)::bigint AS amount FROM payment_share_lines
      WHERE book_id = $1 AND operation_id = ANY ($2::uuid[]) GROUP BY operation_id`,
    values: [bookId, plainArray(ids)],
  });
  return new Map(rows.map((row) => [row.operation_id, row.amount]));
}

/** Index: payment_disputes_by_payment. */
async function readDisputes(db: Queryable, bookId: BookId, of: readonly Payment[]): Promise<Dispute[]> {
  const { rows } = await db.query({
    name: 'verify.payment_disputes',
    text: `SELECT ${disputes.selected()} FROM payment_disputes WHERE book_id = $1 AND payment_id = ANY ($2::uuid[]) ORDER BY id`,
    values: [bookId, plainArray(of.map(({ id }) => id))],
  });
  return rows.map(disputes.fromRow);
}
