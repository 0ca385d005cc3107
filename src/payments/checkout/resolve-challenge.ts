/**
 * The payer has ended a challenge: the acquirer is asked for the outcome of the authorization at once, so that the
 * payer returns to a payment that has it. The acquirer's notice follows and changes nothing.
 */
import type { Acquirer, AcquirerAnswer, AcquirerStatus } from '../../acquirers/acquirer.ts';
import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import type { Pool } from '../../db/pool.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { inquireAtParty } from '../../outside/calls/ask-party.ts';
import { inquiryPauseMs } from '../../outside/instructions/inquiry.ts';
import type { Clock } from '../../values/clock.ts';
import { findOperationsByReference } from '../operations/operation-store.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { reportCommand } from '../outcomes/apply-acquirer-report.ts';
import { answered } from '../outcomes/send-operations.ts';
import type { Payment } from '../payment/payment.ts';
import { payments } from '../payment/payment-table.ts';

export interface ChallengeRuntime {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly committer: Committer;
  readonly release: ReleaseSchedule;
  readonly authorizationMs: number;
}

const FINAL: readonly AcquirerStatus[] = ['succeeded', 'declined', 'canceled'];

/** What every inquiry about one authorization is shared under. */
export function inquiryName({ bookId, reference }: { bookId: BookId; reference: string }): string {
  return `${bookId} ${reference}`;
}

/** Undefined where no payment is known by this reference. */
export async function resolveChallenge(
  runtime: ChallengeRuntime,
  acquirer: Acquirer,
  { bookId, reference }: { bookId: BookId; reference: string },
): Promise<Payment | undefined> {
  const found = await challengedPayment(runtime.pool, { bookId, reference });
  if (found === undefined) return undefined;
  const { payment, operation } = found;
  if (operation.status !== 'pending' && operation.status !== 'requires_action') return payment;
  const inquiry = await inquireAtParty<AcquirerAnswer>(reference, () => acquirer.inquire(bookId, reference));
  // Without a final answer a notice or a later inquiry ends it. Payers return as often as they like: only a final
  // answer is recorded.
  if (inquiry.result !== 'answer' || !FINAL.includes(inquiry.answer.status)) return payment;
  const report = {
    ...answered(operation, inquiry.answer),
    call: 'inquire' as const,
    authorizationMs: runtime.authorizationMs,
    nextInquiryMs: inquiryPauseMs(acquirer, operation),
  };
  await runtime.committer.submit(bookId, await reportCommand(runtime, bookId, { payment, operation, report }));
  return payments.find(runtime.pool, bookId, payment.id);
}

/** The payment whose authorization has this reference. */
export async function challengedPayment(
  pool: Pool,
  { bookId, reference }: { bookId: BookId; reference: string },
): Promise<{ payment: Payment; operation: PaymentOperation } | undefined> {
  const operation = (await findOperationsByReference(pool, bookId, [reference])).get(reference);
  const payment = operation && (await payments.find(pool, bookId, operation.paymentId));
  return payment && { payment, operation };
}
