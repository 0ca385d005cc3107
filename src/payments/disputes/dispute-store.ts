import type { Instant } from '../../clock.ts';
import { plainArray } from '../../db/columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Uuid } from '../../ids.ts';
import type { BookId } from '../../ledger/book.ts';
import { listRows } from '../../ledger/list-rows.ts';
import type { Dispute, DisputeStage, DisputeStatus } from './dispute.ts';
import { disputes } from './dispute-table.ts';

export interface DisputeFilter {
  readonly accountId?: Uuid | undefined;
  readonly paymentId?: Uuid | undefined;
  readonly statuses?: readonly DisputeStatus[] | undefined;
  readonly stage?: DisputeStage | undefined;
  readonly createdGte?: Instant | undefined;
  readonly createdLt?: Instant | undefined;
}

/** A page of disputes, newest first. Indexes: payment_disputes_by_payment, _by_account, _by_status; else payment_disputes_pkey. */
export function listDisputes(
  db: Queryable,
  bookId: BookId,
  { accountId, paymentId, statuses, stage, createdGte, createdLt }: DisputeFilter,
  page: PageRequest,
): Promise<Page<Dispute>> {
  const among = {
    account_id: valuesOf(accountId),
    payment_id: valuesOf(paymentId),
    status: statuses,
  };
  const filter = { among, equal: { stage: valuesOf(stage) }, created: { gte: createdGte, lt: createdLt } };
  return listRows(db, { table: disputes }, { bookId, filter, page });
}

/**
 * What a notice may be about: the dispute that it has opened, and the payment's latest one of the same reference. Indexes:
 * payment_disputes_by_notice, payment_disputes_by_payment.
 */
export async function findDisputesOfNotice(
  db: Queryable,
  bookId: BookId,
  { paymentId, noticeId, reference }: { paymentId: Uuid; noticeId: Uuid; reference: string },
): Promise<{ opened: Dispute | undefined; known: Dispute | undefined }> {
  const { rows } = await db.query({
    name: 'payment_disputes.of_notice',
    text: `(SELECT ${disputes.selected()} FROM payment_disputes WHERE book_id = $1 AND notice_id = $3)
      UNION ALL
      (SELECT ${disputes.selected()} FROM payment_disputes
       WHERE book_id = $1 AND payment_id = $2 AND acquirer_reference = $4 AND $4 <> '' AND notice_id <> $3 ORDER BY id DESC LIMIT 1)`,
    values: [bookId, paymentId, noticeId, reference],
  });
  const found = rows.map(disputes.fromRow);
  return {
    opened: found.find((dispute) => dispute.noticeId === noticeId),
    known: found.find((dispute) => dispute.noticeId !== noticeId),
  };
}

/** The chargebacks of payments, which lines of a report may be about. Index: payment_disputes_by_payment. */
export async function listChargebacks(
  db: Queryable,
  bookId: BookId,
  paymentIds: readonly Uuid[],
): Promise<Map<Uuid, Uuid[]>> {
  const { rows } = await db.query<{ id: Uuid; payment_id: Uuid }>({
    name: 'payment_disputes.chargebacks',
    text: `SELECT id, payment_id FROM payment_disputes
      WHERE book_id = $1 AND payment_id = ANY ($2::uuid[]) AND stage = 'chargeback' ORDER BY id`,
    values: [bookId, plainArray(paymentIds)],
  });
  const found = new Map<Uuid, Uuid[]>();
  for (const { id, payment_id: paymentId } of rows) found.set(paymentId, [...(found.get(paymentId) ?? []), id]);
  return found;
}

/** What the book knows of and no report has had: chargebacks by the notice that opened them, and won ones by their acquirer's id. */
export async function listUnsettledDisputes(db: Queryable, bookId: BookId): Promise<{ taken: Uuid[]; won: string[] }> {
  const { rows } = await db.query<{ notice_id: Uuid; reference: string; is_taken: boolean; is_won: boolean }>(
    `SELECT notice_id, acquirer_reference AS reference, settled_at IS NULL AS is_taken,
       status = 'won' AND won_settled_at IS NULL AS is_won FROM payment_disputes
     WHERE book_id = $1 AND stage = 'chargeback' AND (settled_at IS NULL OR (status = 'won' AND won_settled_at IS NULL))`,
    [bookId],
  );
  return {
    taken: rows.filter((row) => row.is_taken).map((row) => row.notice_id),
    won: rows.filter((row) => row.is_won).map((row) => row.reference),
  };
}

const valuesOf = <Value extends string>(value: Value | undefined) => (value === undefined ? undefined : [value]);
