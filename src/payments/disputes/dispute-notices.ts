/** What the acquirer tells of disputes, as a command: the disputes' part of acquirer-notices.ts. */
import type { AcquirerNotice } from '../../acquirers/acquirer.ts';
import type { DisputeTerms } from '../../acquirers/dispute-terms.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { Clock } from '../../values/clock.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { payments } from '../payment/payment-table.ts';
import { readWayBack } from '../refunds/give-back.ts';
import { type MoneySources, readSources } from '../refunds/take-from-sources.ts';
import { readToday } from '../shares/earn-share.ts';
import { findDisputesOfNotice } from './dispute-store.ts';
import { type DisputeNotice, opens, type SettledDispute, settleDispute } from './settle-dispute.ts';

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
  const isOpening = opens(notice);
  const sources = isOpening ? await readSources(pool, bookId, payment) : NO_SOURCES;
  const wayBack = isOpening || !found.known ? [] : await readWayBack(pool, bookId, found.known);
  const today = await readToday({ pool, clock }, bookId);
  const { dated = true } = JSON.parse(evidence) as { dated?: boolean };
  const read = { ...found, payment, operation, sources, wayBack };
  return settleDispute(bookId, { ...read, terms, today, notice, dated, evidence });
}

const NO_SOURCES: MoneySources = { captures: [], own: [], shares: [] };
