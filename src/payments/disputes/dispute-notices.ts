/** What the acquirer tells of disputes, as a command: the disputes' part of acquirer-notices.ts. */
import type { AcquirerNotice } from '../../acquirers/acquirer.ts';
import type { DisputeTerms } from '../../acquirers/dispute-terms.ts';
import type { Clock } from '../../clock.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book.ts';
import type { Command } from '../../ledger/command.ts';
import { readToday } from '../earn-share.ts';
import type { PaymentOperation } from '../payment-operation.ts';
import { payments } from '../payment-table.ts';
import { readSources } from '../take-from-sources.ts';
import { findDisputesOfNotice } from './dispute-store.ts';
import { type DisputeNotice, type SettledDispute, settleDispute } from './settle-dispute.ts';

export function isDisputeNotice(notice: AcquirerNotice): notice is DisputeNotice {
  return notice.kind.startsWith('dispute_');
}

/** The command by which a notice of a dispute is taken in. Throws Error where the payment is not there: a bug. */
export async function disputeCommand(
  { pool, clock, disputeTerms: terms }: { pool: Pool; clock: Clock; disputeTerms: DisputeTerms },
  bookId: BookId,
  operation: PaymentOperation,
  { notice, evidence }: { notice: DisputeNotice; evidence: string },
): Promise<Command<SettledDispute>> {
  const { paymentId } = operation;
  const payment = await payments.find(pool, bookId, paymentId);
  if (!payment) throw new Error(`The payment of operation ${operation.id} does not exist`);
  const { id: noticeId, reference } = notice;
  const found = await findDisputesOfNotice(pool, bookId, { paymentId, noticeId, reference });
  const sources = await readSources(pool, bookId, payment);
  const today = await readToday({ pool, clock }, bookId);
  const { dated = true } = JSON.parse(evidence) as { dated?: boolean };
  return settleDispute(bookId, { ...found, payment, operation, sources, terms, today, notice, dated, evidence });
}
