import { plainArray, textArray } from '../../db/columns.ts';
import type { Page, PageRequest } from '../../db/page.ts';
import type { Queryable } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import { listRows } from '../../ledger/resources/list-rows.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Dispute, DisputeLine, DisputeStage, DisputeStatus } from './dispute.ts';
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

/** The lines of a report of one type, one payment and one amount. */
export interface NamedChargebacks {
  readonly paymentId: Uuid;
  readonly type: DisputeLine;
  readonly amount: bigint;
  /** So many lines: as many chargebacks are wanted. */
  readonly lines: number;
}

/**
 * The chargebacks of a payment that match such lines, and facts for an exception where they are too few. As of one
 * moment.
 */
export interface FoundChargebacks {
  /** Those of the amount that no line of the type has paid, the earliest first. */
  readonly ids: readonly Uuid[];
  readonly chargebacks: number;
  /** Of them those that booked what lines of the type are about. */
  readonly booked: number;
  readonly unsettled: number;
  /** A booked one has the amount, whether or not a line has paid it. */
  readonly hasAmount: boolean;
  /** Of unsettled ones, the first few: for people. */
  readonly amounts: string;
  /**
   * Of the payment. It changes with every chargeback that is opened or won, so it shows whether this reading is stale.
   */
  readonly amountDisputed: bigint;
}

/** Reads the chargebacks of at most DISPUTES_MAX disputes a payment. In the order that was given. Indexes: payments_pkey, payment_disputes_by_payment. */
export async function findChargebacks(
  db: Queryable,
  bookId: BookId,
  named: readonly NamedChargebacks[],
): Promise<FoundChargebacks[]> {
  const { rows } = await db.query<{
    ids: Uuid[] | null;
    chargebacks: number;
    booked: number;
    unsettled: number;
    has_amount: boolean;
    amounts: string | null;
    amount_disputed: bigint;
  }>({
    name: 'payment_disputes.of_lines',
    text: `SELECT d.*, p.amount_disputed
      FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::integer[]) WITH ORDINALITY AS named (payment_id, type, amount, lines, at)
      JOIN payments p ON p.book_id = $1 AND p.id = named.payment_id
      CROSS JOIN LATERAL (
        SELECT (array_agg(id ORDER BY id) FILTER (WHERE is_booked AND is_unsettled AND amount = named.amount))[1:named.lines] AS ids,
          count(*)::integer AS chargebacks,
          (count(*) FILTER (WHERE is_booked))::integer AS booked,
          (count(*) FILTER (WHERE is_booked AND is_unsettled))::integer AS unsettled,
          coalesce(bool_or(is_booked AND amount = named.amount), false) AS has_amount,
          array_to_string((array_agg(DISTINCT amount) FILTER (WHERE is_booked AND is_unsettled))[1:5], ', ') AS amounts
        FROM (
          SELECT id, amount, named.type = 'dispute' OR status = 'won' AS is_booked,
            CASE named.type WHEN 'dispute' THEN settled_at ELSE won_settled_at END IS NULL AS is_unsettled
          FROM payment_disputes
          WHERE book_id = $1 AND payment_id = named.payment_id AND stage = 'chargeback'
        ) AS chargeback
      ) AS d
      ORDER BY named.at`,
    values: [
      bookId,
      plainArray(named.map(({ paymentId }) => paymentId)),
      textArray(named.map(({ type }) => type)),
      plainArray(named.map(({ amount }) => amount)),
      plainArray(named.map(({ lines }) => lines)),
    ],
  });
  return rows.map(({ ids, has_amount: hasAmount, amounts, amount_disputed: amountDisputed, ...counts }) => ({
    ...counts,
    ids: ids ?? [],
    hasAmount,
    amounts: amounts ?? '',
    amountDisputed,
  }));
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
