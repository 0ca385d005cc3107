/**
 * Test mode: the payer approves or declines a request to pay, or lets it expire. The outcome is applied before the
 * response.
 */
import type { Acquirers } from '../../acquirers/acquirers.ts';
import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { requireClockIdle } from '../../idempotency/once.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, Prepared, UseCase } from '../../idempotency/use-case.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { inquiryPauseMs } from '../../outside/instructions/inquiry.ts';
import { simulatedNoticeId } from '../../outside/notices/simulated-notice.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { paymentOperations } from '../operations/payment-operation-table.ts';
import { allowedActions, type Payment } from '../payment/payment.ts';
import { paymentResource } from '../payment/payment-resource.ts';
import { payments } from '../payment/payment-table.ts';
import { requireAtSandbox } from '../payment/require-at-sandbox.ts';
import { noticeCommand } from './acquirer-notices.ts';
import { reportCommand } from './apply-acquirer-report.ts';
import { answered } from './send-operations.ts';

interface SimulateRuntime extends OnceRuntime {
  readonly clock: Clock;
  readonly release: ReleaseSchedule;
  readonly authorizationMs: number;
  readonly acquirers: Pick<Acquirers, 'sandbox' | 'get'>;
}

export interface SimulateRequest extends Asked {
  readonly paymentId: Uuid;
  readonly simulation: 'approve' | 'decline' | 'expire';
}

/** The acquirer is called before the commit, and a repeat is answered from its key without a call. */
export const simulateRequest: UseCase<SimulateRuntime, SimulateRequest> = {
  keyFirst: true,
  answers: 'after_follow',
  async prepare(runtime, input) {
    const { bookId, paymentId } = input;
    const payment = await payments.find(runtime.pool, bookId, paymentId);
    if (!payment) throw new ApiError('resource_not_found', { param: 'id' });
    requireAtSandbox(payment);
    const pending = payment.pendingOperation;
    const operation = pending === null ? undefined : await paymentOperations.find(runtime.pool, bookId, pending);
    if (payment.sourceType !== 'cliq_request' || operation?.status !== 'requires_action') throw conflict(payment);
    const book = await loadBook(runtime.pool, bookId);
    if (book) requireClockIdle(book);
    return input.simulation === 'expire'
      ? withdrawn(runtime, input, { payment, operation })
      : resolved(runtime, input, { payment, operation });
  },
};

interface Requested {
  readonly payment: Payment;
  readonly operation: PaymentOperation;
}

async function resolved(
  runtime: SimulateRuntime,
  input: SimulateRequest,
  { payment, operation }: Requested,
): Promise<Prepared> {
  const { bookId, simulation } = input;
  const { sandbox } = runtime.acquirers;
  const notice = await sandbox.resolveRequest(bookId, operation.reference, {
    approved: simulation === 'approve',
    noticeId: simulatedNoticeId(input),
  });
  if (!notice) throw conflict(payment);
  const evidence = JSON.stringify({ simulated: simulation, reference: operation.reference });
  const taking = { ...runtime, acquirer: () => sandbox };
  const command = await noticeCommand(taking, bookId, operation, { notice, evidence, callFor: 'request' });
  return { command: showPayment(command, payment), follow: () => sandbox.acknowledge([notice.id]) };
}

/** The same call and report as those of a request that has expired. */
async function withdrawn(
  runtime: SimulateRuntime,
  { bookId }: SimulateRequest,
  { payment, operation }: Requested,
): Promise<Prepared> {
  const { sandbox } = runtime.acquirers;
  const answer = await sandbox.cancel(bookId, operation.reference);
  const report = {
    ...answered(operation, answer),
    call: 'cancel' as const,
    isExpiry: true,
    authorizationMs: runtime.authorizationMs,
    nextInquiryMs: inquiryPauseMs(sandbox, operation),
  };
  const command = await reportCommand(runtime, bookId, { payment, operation, report });
  return { command: showPayment(command, payment) };
}

/** The command with the payment after it as its answer. */
function showPayment(command: Command<PaymentOperation>, { id }: Payment): Command<Stored> {
  return {
    ...command,
    decide(state, moment) {
      const outcome = command.decide(state, moment);
      const after = outcome.rows.find(({ table, id: rowId }) => table.name === payments.name && rowId === id)?.row;
      const payment = (after as Payment | undefined) ?? state.get(payments, id)!;
      return { ...outcome, answer: storedView(new Draft(state, command, moment), paymentResource, payment) };
    },
  };
}

function conflict(payment: Payment): ApiError {
  return new ApiError('state_conflict', {
    detail:
      payment.sourceType === 'cliq_request'
        ? `The payer is not asked now: the payment is ${payment.status}.`
        : 'The payment is no request to pay.',
    facts: { current_status: payment.status, allowed_actions: allowedActions(payment) },
  });
}
