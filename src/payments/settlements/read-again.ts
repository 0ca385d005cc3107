/**
 * A command about lines of a report is read outside its commit: what an acquirer answers meanwhile changes what the lines are about.
 * Nothing is decided on such a reading (ledger/commit/stale-read.ts).
 */
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { retryStaleReads, StaleRead } from '../../ledger/commit/stale-read.ts';
import type { Dispute, DisputeLine } from '../disputes/dispute.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import type { Payment } from '../payment/payment.ts';
import { isUnsettled, type ReadChargebacks } from './match-line.ts';

/**
 * Throws StaleRead where the operation has another status than was read, or where a capture that may be settled waits in shares
 * that were not read, and which the command does not declare. One that was settled meanwhile is a repeat, wherever it waits.
 */
export function requireAsRead(read: PaymentOperation, operation: PaymentOperation): void {
  if (operation.status !== read.status || (isUnsettledCapture(operation) && hasMoved(read, operation)))
    throw new StaleRead('What a line of the report is about has moved meanwhile.');
}

/**
 * Throws StaleRead where the dispute that a line settles was settled meanwhile, or is won no longer, and where a line that settles
 * none was read before a chargeback came or went.
 */
export function requireChargebacks(
  type: DisputeLine,
  now: { chargebacks: ReadChargebacks; dispute: Dispute | undefined; payment: Payment },
): void {
  const { chargebacks, dispute, payment } = now;
  const isAsRead =
    chargebacks.id === undefined
      ? payment.amountDisputed === chargebacks.amountDisputed
      : dispute !== undefined && isUnsettled(type, dispute);
  if (!isAsRead) throw new StaleRead('A dispute that a line of the report is about has moved meanwhile.');
}

function isUnsettledCapture({ kind, settledAt }: PaymentOperation): boolean {
  return kind === 'capture' && settledAt === null;
}

function hasMoved(read: PaymentOperation, { portions }: PaymentOperation): boolean {
  const shares = new Set(read.portions.map(({ shareId }) => shareId));
  return portions.some(({ shareId }) => shareId !== null && !shares.has(shareId));
}

/** Submits what `read` makes, and reads again where that has moved. Undefined where there is nothing to submit. */
export function submitAsRead<Answer>(
  committer: Pick<Committer, 'submit'>,
  bookId: BookId,
  read: () => Promise<Command<Answer> | undefined>,
): Promise<Answer | undefined> {
  return retryStaleReads(async () => {
    const command = await read();
    return command && committer.submit(bookId, command);
  });
}
