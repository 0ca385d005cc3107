import { plainArray } from '../../../db/columns.ts';
import type { Pool, Queryable } from '../../../db/pool.ts';
import { inSnapshot } from '../../../db/snapshot.ts';
import { type BookedStep, readStepsOf } from '../../../group/steps-store.ts';
import type { BookId } from '../../../ledger/book.ts';
import type { Uuid } from '../../../values/ids.ts';
import type { Dispute } from '../../disputes/dispute.ts';
import { disputes } from '../../disputes/dispute-table.ts';
import type { PaymentOperation } from '../../operations/payment-operation.ts';
import { paymentOperations } from '../../operations/payment-operation-table.ts';
import { sharesOf } from '../../refunds/take-from-sources.ts';
import { CAPTURES_MAX, type Payment, REFUNDS_MAX } from '../payment.ts';
import { payments } from '../payment-table.ts';

/** A payment with its captures, refunds and disputes, and what each of them booked, as of one moment. */
export interface PaymentHistory {
  readonly payment: Payment;
  /** The captures, then the refunds, each in order of time. */
  readonly operations: readonly PaymentOperation[];
  readonly disputes: readonly Dispute[];
  readonly steps: ReadonlyMap<Uuid, readonly BookedStep[]>;
  /** The days of the shares that failed refunds and won disputes had taken from. */
  readonly days: ReadonlyMap<Uuid, string>;
  /** Of the book. */
  readonly timeZone: string;
  /** What each of them put into shares, less what it took out. Absent for nothing. */
  readonly inShares: ReadonlyMap<Uuid, bigint>;
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
    const { days, timeZone } = await readDays(trx, bookId, [
      ...operations.filter(({ kind, status }) => kind === 'refund' && status === 'failed'),
      ...disputed.filter(({ status }) => status === 'won'),
    ]);
    const byPayment = new Map<Uuid, PaymentOperation[]>(found.map(({ id }) => [id, []]));
    for (const operation of operations) byPayment.get(operation.paymentId)?.push(operation);
    return found.map((payment) => ({
      payment,
      operations: byPayment.get(payment.id)!,
      disputes: disputed.filter(({ paymentId }) => paymentId === payment.id),
      ...{ steps, inShares, days, timeZone },
    }));
  });
}

/** Index: payment_shares_pkey. Most pages have nothing that was given back. */
async function readDays(
  db: Queryable,
  bookId: BookId,
  given: readonly Pick<PaymentOperation, 'portions'>[],
): Promise<Pick<PaymentHistory, 'days' | 'timeZone'>> {
  const ids = [...new Set(given.flatMap(sharesOf))];
  if (ids.length === 0) return { days: new Map(), timeZone: 'UTC' };
  const { rows } = await db.query<{ id: Uuid; available_on: string; time_zone: string }>({
    name: 'verify.share_days',
    text: `SELECT s.id, s.available_on, b.time_zone FROM payment_shares s JOIN books b ON b.id = s.book_id
      WHERE s.book_id = $1 AND s.id = ANY ($2::uuid[])`,
    values: [bookId, plainArray(ids)],
  });
  return {
    days: new Map(rows.map((row) => [row.id, row.available_on])),
    timeZone: rows[0]?.time_zone ?? 'UTC',
  };
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
