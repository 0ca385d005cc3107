/**
 * Matches one line of a report with the operation or dispute that it pays, and marks that as settled. The caller books
 * the money.
 */

import type { BookId } from '../../ledger/book/book.ts';
import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import type { DisputeLine } from '../disputes/dispute.ts';
import { disputes } from '../disputes/dispute-table.ts';
import { captureResource, operationResources } from '../operations/operation-resources.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import type { Settlement } from '../paydays/settlement.ts';
import { settlementLines } from '../paydays/settlement-table.ts';
import type { Payment } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { isWhollySettled } from '../payment/payment-settled.ts';
import { payments } from '../payment/payment-table.ts';
import type { PaymentShare } from '../shares/share.ts';
import { exceptionOf, type LineException, type ReadChargebacks } from './match-line.ts';
import { requireAsRead, requireChargebacks } from './read-again.ts';
import type { PartLine, ReportPart } from './report-store.ts';
import { type PortionMoves, portionTouches } from './settle-portions.ts';

/** A line with what it names in the book. */
export interface ReadLine {
  readonly line: PartLine;
  readonly operation: PaymentOperation | undefined;
  /** Of a line about a dispute. */
  readonly chargebacks: ReadChargebacks | undefined;
}

/** A line that was taken: settled, or an exception. */
export interface TakenLine {
  readonly line: PartLine;
  readonly operation: PaymentOperation | undefined;
  /** Undefined where it is settled. */
  readonly exception: LineException | undefined;
}

/** What a line touches. `shares` are those that portions of captures name. */
export function lineTouches(
  bookId: BookId,
  { operation, chargebacks }: ReadLine,
  shares: ReadonlyMap<Uuid, PaymentShare>,
): Touch[] {
  if (!operation) return [];
  return [
    { table: paymentOperations, ids: [operation.id] },
    { table: payments, ids: [operation.paymentId] },
    ...(chargebacks?.id === undefined ? [] : [{ table: disputes, ids: [chargebacks.id] }]),
    ...(operation.kind === 'capture' ? portionTouches(bookId, operation, shares) : []),
  ];
}

/**
 * Settles the line, or returns the exception that it is. The caller books its amount. Throws StaleRead where the
 * operation or dispute has changed since it was read.
 */
export function takeLine(
  draft: Draft,
  { line, operation: read, chargebacks }: ReadLine,
  { part, moves }: { part: Pick<ReportPart, 'acquirer' | 'currency'>; moves: PortionMoves },
): TakenLine {
  const operation = read && draft.get(paymentOperations, read.id);
  const payment = operation && draft.get(payments, operation.paymentId);
  const dispute = chargebacks?.id === undefined ? undefined : draft.get(disputes, chargebacks.id);
  const { acquirer, currency } = part;
  if (read && operation) requireAsRead(read, operation);
  if (chargebacks && payment) requireChargebacks(line.type as DisputeLine, { chargebacks, dispute, payment });
  const exception = exceptionOf(line, { acquirer, currency, operation, payment, chargebacks });
  if (exception === undefined && operation && payment) {
    const settledAt = draft.moment.book;
    if (line.type === 'capture') settleCapture(draft, { operation, payment }, moves);
    else if (line.type === 'refund') advance(draft, operationResources.refund, operation, { settledAt });
    // The acquirer has given it back: as if it had never been paid.
    else if (line.type === 'refund_failed')
      advance(draft, operationResources.refund, operation, { settledAt: null, failureSettledAt: settledAt });
    else if (line.type !== 'adjustment') {
      const change = line.type === 'dispute' ? { settledAt } : { wonSettledAt: settledAt };
      // Nothing that is shown changes: the version stays.
      draft.put(disputes, dispute!.id, { ...dispute!, ...change });
    }
  }
  return { line, operation, exception };
}

function settleCapture(
  draft: Draft,
  { operation, payment }: { operation: PaymentOperation; payment: Payment },
  moves: PortionMoves,
): void {
  const amountSettled = payment.amountSettled + operation.amount;
  const portions = moves.move(operation);
  advance(draft, captureResource, operation, { settledAt: draft.moment.book, portions });
  const isSettled = isWhollySettled({ ...payment, amountSettled });
  advance(
    draft,
    paymentResource,
    payment,
    { amountSettled, ...(isSettled ? { status: 'settled' } : {}) },
    isSettled ? { event: 'payment.settled' } : {},
  );
}

/** pool → acquirer, or the other way: what lines come to. */
export function bookNet(
  draft: Draft,
  { id, currency }: Pick<Settlement, 'id' | 'currency'>,
  { net, step }: { net: bigint; step: string },
): Entry {
  const [pool, acquirer] = [draft.chart('pool', currency).id, draft.chart('acquirer', currency).id];
  return draft.post({
    resource: 'settlement',
    resourceId: id,
    step,
    postings: [
      net > 0n ? { debit: pool, credit: acquirer, amount: net } : { debit: acquirer, credit: pool, amount: -net },
    ],
  });
}

/** Writes the row of a line that was taken. `id`: of the report's line, or of a row beside it. */
export function keepLine(
  draft: Draft,
  { id: settlementId, currency }: Pick<Settlement, 'id' | 'currency'>,
  { line, operation }: Pick<TakenLine, 'line' | 'operation'>,
  { id, entryId, exceptionId }: { id: Uuid; entryId: Uuid | null; exceptionId: Uuid | null },
): void {
  draft.append(settlementLines, {
    id,
    settlementId,
    lineId: line.lineId,
    type: line.type,
    reference: line.reference,
    currency,
    amount: line.gross,
    paymentId: operation?.paymentId ?? null,
    operationId: operation?.id ?? null,
    entryId,
    exceptionId,
    createdAt: draft.moment.book,
  });
}
