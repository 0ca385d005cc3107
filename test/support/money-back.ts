/** Payments whose money goes back: captured, released, refunded and disputed in a book, without an acquirer. */
import type { AcquirerNotice } from '../../src/acquirers/acquirer.ts';
import type { ReleaseSchedule } from '../../src/calendar/release-schedule.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import { chartAccountId } from '../../src/ledger/account/chart.ts';
import type { Command, Refusal } from '../../src/ledger/command/command.ts';
import type { AppliedNotice, DisputeNoticeKind } from '../../src/payments/disputes/apply-dispute-notice.ts';
import { disputeCommand } from '../../src/payments/disputes/dispute-notices.ts';
import type { AcquirerReport } from '../../src/payments/operations/acquirer-report.ts';
import type { PaymentOperation } from '../../src/payments/operations/payment-operation.ts';
import { paymentOperations } from '../../src/payments/operations/payment-operation-table.ts';
import { applyAcquirerReport } from '../../src/payments/outcomes/apply-acquirer-report.ts';
import type { Payment } from '../../src/payments/payment/payment.ts';
import { payments } from '../../src/payments/payment/payment-table.ts';
import { readWayBack } from '../../src/payments/refunds/give-back.ts';
import { requestRefund } from '../../src/payments/refunds/refund-payment.ts';
import { readToday } from '../../src/payments/shares/earn-share.ts';
import { releaseShares } from '../../src/payments/shares/release-shares.ts';
import { paymentShares } from '../../src/payments/shares/share-table.ts';
import { type Clock, systemClock } from '../../src/values/clock.ts';
import { newId, type Uuid } from '../../src/values/ids.ts';
import type { TestBook } from './book.ts';
import { acceptOne, releaseIn, SUCCEEDED } from './payments.ts';

/** Ready at once: released when the test says so. */
const AT_ONCE = releaseIn({ days: 0, onceSettled: false });

export interface Captured {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly authorization: PaymentOperation;
}

interface ToldDispute {
  /** False: the acquirer did not say when. */
  readonly dated?: false;
  readonly kind: DisputeNoticeKind;
  readonly amount?: bigint;
  readonly reference?: string;
  readonly id?: Uuid;
  readonly code?: string;
  readonly confirmed?: AcquirerNotice['confirmed'];
  readonly createdAt?: number;
}

export class MoneyBack {
  readonly #book: TestBook;
  readonly #clock: Clock;
  terms = { fees: new Map<string, bigint>(), feeRefunded: false };

  /** `clock` is that of the book. */
  constructor(book: TestBook, clock: Clock = systemClock) {
    this.#book = book;
    this.#clock = clock;
  }

  async captured(accountId: Uuid, amount: bigint, release: Partial<ReleaseSchedule> = AT_ONCE): Promise<Captured> {
    const { payment, operation } = await acceptOne(this.#book, { accountId, amount });
    await this.#settle(payment, operation, { status: 'succeeded' }, releaseIn(release));
    return { id: payment.id, accountId, authorization: operation };
  }

  payment({ id }: { id: Uuid }): Promise<Payment> {
    return payments.find(this.#book.pool, this.#book.id, id) as Promise<Payment>;
  }

  operation(id: Uuid): Promise<PaymentOperation> {
    return paymentOperations.find(this.#book.pool, this.#book.id, id) as Promise<PaymentOperation>;
  }

  /** Releases what is due of the account. */
  async release(accountId: Uuid): Promise<number> {
    const rows = await this.#book.rows<{ id: Uuid }>(
      "SELECT id FROM payment_shares WHERE book_id = $1 AND account_id = $2 AND status = 'open'",
      accountId,
    );
    const shares = await paymentShares.load(
      this.#book.pool,
      this.#book.id,
      rows.map(({ id }) => id),
    );
    return this.#book.submit(releaseShares(this.#book.id, [...shares.values()]));
  }

  /** Asked for, and at the acquirer. */
  async refund(payment: { id: Uuid }, amount?: bigint): Promise<Stored | Refusal> {
    return this.#book.submit(await this.refundCommand(payment, amount));
  }

  /** What a request read, before it is decided. */
  async refundCommand({ id: paymentId }: { id: Uuid }, amount?: bigint): Promise<Command<Stored | Refusal>> {
    const { command } = await requestRefund.prepare(this.#book, {
      bookId: this.#book.id,
      paymentId,
      amount,
      actor: 'test',
      requestId: newId(),
      idempotencyKey: newId(),
      fingerprint: Buffer.alloc(32),
    });
    return command;
  }

  async refunding(payment: { id: Uuid }, amount?: bigint): Promise<PaymentOperation> {
    const answer = await this.refund(payment, amount);
    if ('refused' in answer && answer.refused) throw new Error(`Refused: ${answer.refused} ${answer.detail}`);
    return this.operation((answer as Stored).resourceId!);
  }

  /** What the acquirer says of an operation as it is by now. */
  async say(
    operation: { id: Uuid },
    report: Partial<AcquirerReport>,
    release: Partial<ReleaseSchedule> = AT_ONCE,
  ): Promise<PaymentOperation> {
    const known = await this.operation(operation.id);
    return this.#settle(await this.payment({ id: known.paymentId }), known, report, releaseIn(release));
  }

  /** Told of by the acquirer. The same id is the same notice. */
  async dispute(captured: Captured, told: ToldDispute): Promise<AppliedNotice> {
    return this.#book.submit(await this.disputeCommand(captured, told));
  }

  /** What the inbox read, before it is decided. */
  async disputeCommand(captured: Captured, told: ToldDispute): Promise<Command<AppliedNotice>> {
    const { amount, currency } = captured.authorization;
    const notice = {
      id: told.id ?? newId(),
      originator: this.#book.id,
      endToEndId: captured.authorization.reference,
      kind: told.kind,
      amount: told.amount ?? null,
      code: told.code ?? 'fraudulent',
      reference: told.reference ?? 'D1',
      confirmed: told.confirmed ?? { amount, currency },
      createdAt: told.createdAt ?? Date.now(),
    };
    const runtime = { pool: this.#book.pool, clock: this.#clock, disputeTerms: this.terms };
    return disputeCommand(runtime, this.#book.id, captured.authorization, {
      notice,
      evidence: JSON.stringify({ told: true, dated: told.dated }),
    });
  }

  /** Posted balance on the account's own side. */
  async balance(account: Uuid | Parameters<typeof chartAccountId>[1]): Promise<bigint> {
    const id = /-/.test(account) ? account : chartAccountId(this.#book.id, account as 'acquirer', 'EUR');
    const row = await this.#book.row<{ posted: bigint } | undefined>(
      `SELECT (CASE WHEN side = 'credit' THEN posted_credits - posted_debits ELSE posted_debits - posted_credits END)::bigint AS posted
       FROM accounts WHERE book_id = $1 AND id = $2`,
      id,
    );
    return row?.posted ?? 0n;
  }

  /** What open shares of an account hold, each by its day and kind. */
  async shares(accountId: Uuid): Promise<bigint[]> {
    const rows = await this.#book.rows<{ amount: bigint }>(
      "SELECT amount FROM payment_shares WHERE book_id = $1 AND account_id = $2 AND status = 'open' ORDER BY available_on, kind",
      accountId,
    );
    return rows.map(({ amount }) => amount);
  }

  async exceptions(paymentId: Uuid, disputeId?: Uuid): Promise<string[]> {
    const rows = await this.#book.rows<{ kind: string }>(
      'SELECT kind FROM exceptions WHERE book_id = $1 AND resource_id IN ($2, $3) ORDER BY kind',
      paymentId,
      disputeId ?? paymentId,
    );
    return rows.map(({ kind }) => kind);
  }

  /** The entries of an object: step, whether it broke a floor, and its postings by the codes of their accounts. */
  entries(resourceId: Uuid): Promise<{ step: string; flagged: boolean; postings: string[] }[]> {
    return this.#book.rows(
      `SELECT e.step, e.floor_overridden AS flagged,
         array_agg(d.code || ' → ' || c.code || ' ' || p.amount ORDER BY p.ordinal) AS postings
       FROM entries e JOIN postings p ON p.book_id = e.book_id AND p.entry_sequence = e.sequence
       JOIN accounts d ON d.book_id = e.book_id AND d.id = p.debit_account_id
       JOIN accounts c ON c.book_id = e.book_id AND c.id = p.credit_account_id
       WHERE e.book_id = $1 AND e.resource_id = $2 GROUP BY e.sequence, e.step, e.floor_overridden ORDER BY e.sequence`,
      resourceId,
    );
  }

  /** Merchant pending is what open shares hold, and a share what its lines say. Differences alone. */
  differences(): Promise<object[]> {
    return this.#book.rows(
      `SELECT 'merchant_pending' AS what, a.id::text, (a.posted_credits - a.posted_debits)::text AS is,
         (SELECT coalesce(sum(amount), 0) FROM payment_shares s WHERE s.book_id = $1 AND s.currency = a.currency AND s.status = 'open')::text AS should
       FROM accounts a WHERE a.book_id = $1 AND a.code = 'merchant_pending' AND a.posted_credits - a.posted_debits <>
         (SELECT coalesce(sum(amount), 0) FROM payment_shares s WHERE s.book_id = $1 AND s.currency = a.currency AND s.status = 'open')
       UNION ALL
       SELECT 'share', s.id::text, s.amount::text, sum(l.amount)::text FROM payment_shares s
       JOIN payment_share_lines l ON l.book_id = s.book_id AND l.share_id = s.id
       WHERE s.book_id = $1 AND s.status = 'open' GROUP BY s.id, s.amount HAVING sum(l.amount) <> s.amount
       UNION ALL
       SELECT 'disputed', p.id::text, p.amount_disputed::text, coalesce(sum(d.amount), 0)::text FROM payments p
       LEFT JOIN payment_disputes d ON d.book_id = p.book_id AND d.payment_id = p.id AND d.stage = 'chargeback' AND d.status <> 'won'
       WHERE p.book_id = $1 GROUP BY p.id, p.amount_disputed HAVING coalesce(sum(d.amount), 0) <> p.amount_disputed
       UNION ALL
       SELECT 'acquirer', a.id::text, (a.posted_debits - a.posted_credits)::text, t.total::text FROM accounts a,
         LATERAL (SELECT coalesce(sum(p.amount_captured - p.amount_refunded - p.amount_disputed), 0) AS total
           FROM payments p WHERE p.book_id = $1 AND p.currency = a.currency) AS t
       WHERE a.book_id = $1 AND a.code = 'acquirer' AND a.posted_debits - a.posted_credits <> t.total`,
    );
  }

  async #settle(
    payment: Payment,
    operation: PaymentOperation,
    report: Partial<AcquirerReport>,
    release: ReleaseSchedule,
  ) {
    const movedShares = await readWayBack(this.#book.pool, this.#book.id, operation);
    const today = await readToday({ pool: this.#book.pool, clock: this.#clock }, this.#book.id);
    return this.#book.submit(
      applyAcquirerReport(this.#book.id, {
        payment,
        operation,
        report: { ...SUCCEEDED, ...report },
        read: { release, today, movedShares },
      }),
    );
  }
}
