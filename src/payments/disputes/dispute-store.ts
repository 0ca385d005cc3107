import type { Instant } from '../../clock.ts';
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

const valuesOf = <Value extends string>(value: Value | undefined) => (value === undefined ? undefined : [value]);
