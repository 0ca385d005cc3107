/**
 * What an acquirer's report means for one kind of operation: a line beside the kind's noun. What all kinds have in common, and the list
 * of the lines, is in outcomes/apply-acquirer-report.ts.
 */
import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { Payment } from '../payment/payment.ts';
import type { AcquirerReport } from './acquirer-report.ts';
import type { PaymentOperation } from './payment-operation.ts';

/** `Read` is what the kind reads before the command is made. Null: nothing. */
export interface OperationOutcome<Read = null> {
  read?(runtime: OutcomeRuntime, bookId: BookId, operation: PaymentOperation): Promise<Read>;
  /** Rows that a report may need beside the payment, its reader and the operation. */
  touches(bookId: BookId, reported: Reported<Read>): readonly Touch[];
  /** The acquirer has carried the operation out. */
  succeed(draft: Draft, reported: Reported<Read>): OperationEnd;
  /** The operation was certainly not carried out. */
  fail(draft: Draft, reported: Reported<Read>): OperationEnd;
  /** Nothing is decided yet: what shows that beside the operation and its payment. */
  wait?(draft: Draft, operation: PaymentOperation, waiting: Waiting): void;
  /** The payer has to act first. Undefined: the operation waits like any other. */
  challenge?(draft: Draft, reported: Reported<Read>): PaymentOperation | undefined;
  /** The operation had succeeded, and fails now. Left out: a contradiction. */
  failLate?(draft: Draft, reported: Reported<Read>): OperationEnd;
  /** The operation had succeeded, and the acquirer has canceled it. False, or left out: a contradiction. */
  cancelLate?(draft: Draft, reported: Reported<Read>): boolean;
}

export interface OutcomeRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  /** For books without a schedule of their own. */
  readonly release: ReleaseSchedule;
}

/** A report, with the operation and the payment that it is about. */
export interface Reported<Read> {
  readonly payment: Payment;
  readonly operation: PaymentOperation;
  readonly report: AcquirerReport;
  readonly read: Read;
}

/** What the end of an operation changes of its row beside what every end does, and what announces it. */
export interface OperationEnd {
  readonly change?: Partial<PaymentOperation>;
  readonly entries?: readonly Entry[];
  readonly event?: string;
}

export interface Waiting {
  readonly outcome: 'unknown' | null;
  readonly nextInquiryAt: Instant;
}
