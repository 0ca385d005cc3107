/**
 * The payments pool's jobs: submits operations to their acquirer and books its answers. The acquirer is called between
 * two commits, under a reference that is the same on every attempt. A call without an answer has an unknown outcome,
 * which an inquiry resolves.
 */
import type { Acquirer, AcquirerAnswer, AcquirerInstruction } from '../../acquirers/acquirer.ts';
import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { Fingerprints } from '../../idempotency/fingerprints.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { RowLoads } from '../../ledger/rows/row-loads.ts';
import { askParty, type CallOutcome } from '../../outside/calls/ask-party.ts';
import type { InTurn } from '../../outside/calls/called-party.ts';
import { callForEach, type OutsideCalls } from '../../outside/calls/job-calls.ts';
import { inquiryPauseMs } from '../../outside/instructions/inquiry.ts';
import {
  inquireInstruction,
  type Sender,
  type SendOutcome,
  submitInstruction,
} from '../../outside/instructions/send-instruction.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Clock, Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { disputes } from '../disputes/dispute-table.ts';
import { type AcquirerReport, mismatchesOf } from '../operations/acquirer-report.ts';
import { movedOperations } from '../operations/moved-operations.ts';
import { hasOpenMismatch } from '../operations/payment-exception.ts';
import { isDisputeCall, type PaymentOperation } from '../operations/payment-operation.ts';
import { openBilling } from '../payment/billing.ts';
import { checkoutUrl, RETURNED } from '../payment/checkout-link.ts';
import { requestOf } from '../payment/cliq-request.ts';
import type { Payment } from '../payment/payment.ts';
import { reportCommand } from './apply-acquirer-report.ts';

export interface SendRuntime {
  readonly pool: Pool;
  readonly payments: Pick<RowLoads<Payment>, 'load'>;
  readonly operations: Pick<RowLoads<PaymentOperation>, 'load'>;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly release: ReleaseSchedule;
  readonly authorizationMs: number;
  readonly fingerprints: Pick<Fingerprints, 'digestOf'>;
  readonly publicUrl: string;
  readonly secretBox: SecretBox;
  acquirer(name: string): Acquirer & InTurn<Acquirer>;
  readonly calls: OutsideCalls;
  readonly rowFailed: RowFailed;
}

/** An operation with the payment that it is of. */
interface Sent {
  readonly id: Uuid;
  readonly operation: PaymentOperation;
  readonly payment: Payment;
  readonly inquiries: number;
  /** In whose turn it is sent. */
  readonly acquirer: Acquirer;
}

/** The outcome of a call to an acquirer. */
type AcquirerOutcome =
  | SendOutcome<AcquirerAnswer>
  | ({ readonly call: 'cancel'; readonly isExpiry: boolean } & CallOutcome<AcquirerAnswer>);

/** First job after its commit: submits at once. */
export function submitOperations(runtime: SendRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  const sender = operationSender(runtime, bookId);
  return eachOpen(runtime, { bookId, ids, behind: false }, ['pending'], (sent) =>
    isOver(sent.operation, runtime.clock.now()) ? abandon(runtime, bookId, sent) : submitInstruction(sender, sent),
  );
}

/** For operations whose outcome is not reported yet. */
export function inquireOperations(runtime: SendRuntime, bookId: BookId, ids: readonly Uuid[]): Promise<void> {
  const sender = operationSender(runtime, bookId);
  const now = () => runtime.clock.now();
  return eachOpen(runtime, { bookId, ids, behind: true }, ['pending', 'requires_action'], (sent) =>
    isOver(sent.operation, now()) ? abandon(runtime, bookId, sent) : inquireInstruction(sender, sent, now),
  );
}

async function eachOpen(
  runtime: SendRuntime,
  { bookId, ids, behind }: { bookId: BookId; ids: readonly Uuid[]; behind: boolean },
  statuses: readonly PaymentOperation['status'][],
  act: (sent: Sent) => Promise<void>,
): Promise<void> {
  const operations = [...(await runtime.operations.load(bookId, ids)).values()];
  const open = operations.filter(({ status }) => statuses.includes(status));
  const payments = await runtime.payments.load(bookId, [...new Set(open.map(({ paymentId }) => paymentId))]);
  await callForEach<PaymentOperation, Acquirer>(
    runtime,
    {
      ...{ bookId, moved: movedOperations, rows: open, isBehind: () => behind },
      partyOf: (operation) => runtime.acquirer(operation.acquirer),
    },
    (operation, acquirer) => {
      const { id, inquiries } = operation;
      return act({ id, inquiries, operation, payment: payments.get(operation.paymentId)!, acquirer });
    },
  );
}

/**
 * The payer's time is over, or the payment was canceled. A request to pay that the acquirer has not received by then is
 * never sent: the payer would approve an expired payment.
 */
function isOver({ payerUntil, withdrawn }: PaymentOperation, now: Instant): boolean {
  return withdrawn || (payerUntil !== null && payerUntil <= now);
}

/**
 * Nobody passed the challenge, or approved the request, in time, or the payment was canceled: the acquirer is asked to
 * cancel the operation, whatever its state. One with an open mismatch is only inquired: a person resolves it.
 */
async function abandon(runtime: SendRuntime, bookId: BookId, sent: Sent): Promise<void> {
  const { operation, acquirer } = sent;
  const { payerUntil, withdrawn } = operation;
  const isExpiry = !withdrawn && payerUntil !== null && payerUntil <= runtime.clock.now();
  if (await hasOpenMismatch(runtime.pool, bookId, operation.paymentId))
    return inquireInstruction(operationSender(runtime, bookId), sent, () => runtime.clock.now());
  const canceled = await askParty(operation.reference, async () => {
    failpoint('acquirer.cancel.before');
    const answer = await acquirer.cancel(bookId, operation.reference);
    failpoint('acquirer.cancel.after');
    return answer;
  });
  await take(runtime, bookId, { sent, outcome: { call: 'cancel', isExpiry, ...canceled } });
}

function operationSender(runtime: SendRuntime, bookId: BookId): Sender<Sent, AcquirerAnswer> {
  return {
    party: ({ acquirer }) => acquirer,
    endToEndId: ({ operation }) => operation.reference,
    sentAt: ({ operation }) => operation.sentAt,
    async submit(sent, notAfter) {
      failpoint('acquirer.submit.before');
      const answer = await submitTo(sent.acquirer, await instructionOf(runtime, bookId, { sent, notAfter }));
      failpoint('acquirer.submit.after');
      return answer;
    },
    async inquire(sent) {
      failpoint('acquirer.inquire.before');
      const answer = await sent.acquirer.inquire(bookId, sent.operation.reference);
      failpoint('acquirer.inquire.after');
      return answer;
    },
    // With an open mismatch nothing is sent again. Read now: a notice may have opened one since.
    maySendAgain: async ({ payment }) => !(await hasOpenMismatch(runtime.pool, bookId, payment.id)),
    take: (sent, outcome) => take(runtime, bookId, { sent, outcome }),
  };
}

/** Neither a card nor a request to pay: the payer gives the card on the acquirer's page. */
function submitTo(acquirer: Acquirer, instruction: AcquirerInstruction): Promise<AcquirerAnswer> {
  if (instruction.kind !== 'authorize' || instruction.token !== null || instruction.request !== null)
    return acquirer.submit(instruction);
  if (!acquirer.hostedSession) throw new Error(`${acquirer.name} has no page of its own`);
  return acquirer.hostedSession(instruction);
}

async function instructionOf(
  { pool, fingerprints, publicUrl, secretBox }: Pick<SendRuntime, 'pool' | 'fingerprints' | 'publicUrl' | 'secretBox'>,
  bookId: BookId,
  { sent: { operation, payment }, notAfter }: { sent: Sent; notAfter: Instant },
): Promise<AcquirerInstruction> {
  const { kind, reference, amount, currency } = operation;
  const any = { originator: bookId, reference, amount, currency, notAfter };
  if (isDisputeCall(kind)) {
    const dispute = await disputes.find(pool, bookId, operation.disputeId!);
    return { ...any, kind, of: operation.of!, evidence: kind === 'evidence' ? { ...dispute?.evidence } : {} };
  }
  if (kind !== 'authorize') return { ...any, kind, of: operation.of!, final: operation.final };
  return {
    ...any,
    kind,
    token: operation.token,
    request: requestOf(secretBox, payment, { bookId, payerUntil: operation.payerUntil }),
    billing: openBilling(secretBox, payment, bookId),
    capture: operation.final,
    initiator: payment.initiator,
    previousNetworkReference: payment.recurring?.previousNetworkReference ?? null,
    // From a challenge the payer comes back to the page that the payment began on.
    returnUrl:
      payment.sourceType === 'checkout'
        ? `${checkoutUrl(fingerprints, publicUrl, { bookId, id: payment.id })}?${RETURNED}=1`
        : payment.sourceType === 'terminal'
          ? null
          : payment.returnUrl,
    statementDescriptor: payment.statementDescriptor,
  };
}

/** Books the outcome of a call. */
async function take(
  runtime: SendRuntime,
  bookId: BookId,
  { sent, outcome }: { sent: Sent; outcome: AcquirerOutcome },
): Promise<void> {
  const { operation, payment, acquirer } = sent;
  const report = {
    ...reportOf(acquirer, operation, outcome),
    authorizationMs: runtime.authorizationMs,
  };
  await runtime.committer.submit(bookId, await reportCommand(runtime, bookId, { payment, operation, report }));
}

function reportOf(
  acquirer: Acquirer,
  operation: PaymentOperation,
  outcome: AcquirerOutcome,
): Omit<AcquirerReport, 'authorizationMs'> {
  const { call } = outcome;
  const isExpiry = outcome.call === 'cancel' && outcome.isExpiry;
  const any = { call, isExpiry, nextInquiryMs: inquiryPauseMs(acquirer, operation), mismatches: [] };
  if (outcome.result === 'unknown') return { ...any, status: 'unknown', raw: outcome.raw };
  if (outcome.result === 'not_found')
    return outcome.never
      ? { ...any, status: 'declined', code: 'processing_error', raw: outcome.answer }
      : { ...any, status: 'pending', raw: outcome.answer };
  return { ...any, ...answered(operation, outcome.answer) };
}

/** The part of a report that an answer contains. */
export function answered(
  operation: PaymentOperation,
  answer: AcquirerAnswer,
): Omit<AcquirerReport, 'call' | 'nextInquiryMs' | 'authorizationMs'> {
  const { status, code, networkCode, reference, authorization, challenge, raw } = answer;
  return {
    status,
    code,
    networkCode,
    reference,
    authorization,
    challenge,
    mismatches: mismatchesOf(operation, answer),
    raw,
  };
}
