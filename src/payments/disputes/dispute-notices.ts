/** An acquirer's notice of a dispute as a command: the disputes' part of acquirer-notices.ts. */
import type { AcquirerNotice } from '../../acquirers/acquirer.ts';
import type { DisputeTerms } from '../../acquirers/dispute-terms.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { Clock } from '../../values/clock.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { payments } from '../payment/payment-table.ts';
import { readWayBack } from '../refunds/give-back.ts';
import { type Funding, readFunding } from '../refunds/take-funding.ts';
import { readToday } from '../shares/earn-share.ts';
import { type AppliedNotice, applyDisputeNotice, type DisputeNotice, opens } from './apply-dispute-notice.ts';
import { findDisputesOfNotice } from './dispute-store.ts';

export function isDisputeNotice(notice: AcquirerNotice): notice is DisputeNotice {
  return notice.kind.startsWith('dispute_');
}

/** The command that applies a notice of a dispute. Throws Error where the payment does not exist: a bug. */
export async function disputeCommand(
  { pool, clock, disputeTerms: terms }: { pool: Pool; clock: Clock; disputeTerms: DisputeTerms },
  bookId: BookId,
  operation: PaymentOperation,
  { notice, evidence }: { notice: DisputeNotice; evidence: string },
): Promise<Command<AppliedNotice>> {
  const { paymentId } = operation;
  const payment = await payments.find(pool, bookId, paymentId);
  if (!payment) throw new Error(`The payment of operation ${operation.id} does not exist`);
  const { id: noticeId, reference } = notice;
  const found = await findDisputesOfNotice(pool, bookId, { paymentId, noticeId, reference });
  const isOpening = opens(notice);
  const funding = isOpening ? await readFunding(pool, bookId, payment) : NO_FUNDING;
  const wayBack = isOpening || !found.known ? [] : await readWayBack(pool, bookId, found.known);
  const today = await readToday({ pool, clock }, bookId);
  const { dated = true } = JSON.parse(evidence) as { dated?: boolean };
  const read = { ...found, payment, operation, funding, wayBack };
  return applyDisputeNotice(bookId, { ...read, terms, today, notice, dated, evidence });
}

const NO_FUNDING: Funding = { captures: [], own: [], shares: [] };
