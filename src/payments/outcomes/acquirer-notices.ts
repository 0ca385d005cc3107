/** Applies an acquirer's notices to operations: the payments' part of the inbox (outside/notices/take-notices.ts). */
import type { Acquirer, AcquirerNotice, AuthorizationFacts } from '../../acquirers/acquirer.ts';
import { DECLINE_CODES, DECLINES, type DeclineCode } from '../../acquirers/decline-codes.ts';
import type { DisputeTerms } from '../../acquirers/dispute-terms.ts';
import type { ReleaseSchedule } from '../../calendar/release-schedule.ts';
import { openOnce } from '../../exceptions/open-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { CallFor } from '../../outside/calls/call-limits.ts';
import type { InTurn } from '../../outside/calls/called-party.ts';
import { inquiryPauseMs } from '../../outside/instructions/inquiry.ts';
import type { Inbox } from '../../outside/notices/notice.ts';
import {
  type NoticeRuntime,
  type NoticeTaker,
  type TakenNotices,
  takeNotices,
} from '../../outside/notices/take-notices.ts';
import { JsonText } from '../../values/json.ts';
import { disputeCommand, isDisputeNotice } from '../disputes/dispute-notices.ts';
import { type AcquirerReport, mismatchesOf } from '../operations/acquirer-report.ts';
import { findOperationsByReference } from '../operations/operation-store.ts';
import type { PaymentOperation } from '../operations/payment-operation.ts';
import { payments } from '../payment/payment-table.ts';
import { reportCommand } from './apply-acquirer-report.ts';

export interface AcquirerNoticeRuntime extends Omit<NoticeRuntime, 'party' | 'openException'> {
  readonly committer: Committer;
  readonly release: ReleaseSchedule;
  readonly authorizationMs: number;
  readonly disputeTerms: DisputeTerms;
  acquirer(name: string): Acquirer & InTurn<Acquirer>;
}

/** What a notice is about. */
interface Subject {
  readonly operation: PaymentOperation;
  /** Of a dispute's notice: the capture or dispute that it is about is not booked yet. */
  readonly disputesTooEarly?: boolean;
}

/** Books what the inbox holds of one book and acquirer. */
export function takeAcquirerNotices(runtime: AcquirerNoticeRuntime, inbox: Inbox): Promise<TakenNotices> {
  const notices: NoticeRuntime = {
    ...runtime,
    party: (name) => runtime.acquirer(name),
    openException: (bookId, exception) => runtime.committer.submit(bookId, openOnce(exception)),
  };
  return takeNotices(notices, operationTaker(runtime), inbox);
}

function operationTaker(runtime: AcquirerNoticeRuntime): NoticeTaker<Subject> {
  return {
    noun: 'payment',
    async find({ bookId, party }, references) {
      const found = await findOperationsByReference(runtime.pool, bookId, references);
      const own = [...found].filter(([, { acquirer }]) => acquirer === party);
      return new Map(own.map(([reference, operation]) => [reference, { operation }]));
    },
    async book({ bookId }, { operation }, stored) {
      const notice = stored.notice as AcquirerNotice;
      if (isDisputeNotice(notice)) {
        const command = await disputeCommand(runtime, bookId, operation, { notice, evidence: stored.evidence });
        const { isTooEarly } = await runtime.committer.submit(bookId, command);
        return { operation, disputesTooEarly: isTooEarly };
      }
      const command = await noticeCommand(runtime, bookId, operation, {
        notice,
        evidence: stored.evidence,
        callFor: 'job',
      });
      return { operation: await runtime.committer.submit(bookId, command) };
    },
    // A refund fails after it succeeded, and its success is not booked yet.
    isTooEarly: ({ operation, disputesTooEarly = false }, { kind }) =>
      disputesTooEarly || (kind === 'refund_failed' && operation.status === 'pending'),
    // The notice that opens its dispute may come behind it.
    waitsAlone: ({ kind }) => kind === 'dispute_won' || kind === 'dispute_lost',
  };
}

/** The command that applies a notice. Throws Error where the payment does not exist: a bug. */
export async function noticeCommand(
  runtime: Pick<AcquirerNoticeRuntime, 'pool' | 'clock' | 'release' | 'authorizationMs' | 'acquirer'>,
  bookId: BookId,
  operation: PaymentOperation,
  { notice, evidence, callFor }: { notice: AcquirerNotice; evidence: string; callFor: CallFor },
): Promise<Command<PaymentOperation>> {
  const payment = await payments.find(runtime.pool, bookId, operation.paymentId);
  if (!payment) throw new Error(`The payment of operation ${operation.id} does not exist`);
  const now = await readAuthorization(runtime, bookId, operation, { notice, callFor });
  const status = now?.status ?? (notice.kind === 'succeeded' ? 'succeeded' : 'declined');
  const code = codeOf(notice.code);
  const report: AcquirerReport = {
    call: 'notice',
    noticeId: notice.id,
    isLate: notice.kind === 'refund_failed',
    status,
    code: status === 'declined' ? code : undefined,
    networkCode: status === 'declined' && code ? DECLINES[code].networkCode : undefined,
    reference: notice.reference,
    authorization: now?.authorization,
    authorizationMs: runtime.authorizationMs,
    nextInquiryMs: inquiryPauseMs(runtime.acquirer(operation.acquirer), operation),
    mismatches: mismatchesOf(operation, { status, confirmed: notice.confirmed }),
    raw: new JsonText(evidence),
  };
  return reportCommand(runtime, bookId, { payment, operation, report });
}

/**
 * A notice of an authorization reports only its success: the acquirer is asked for its facts. It may have been canceled
 * since, for being late.
 */
async function readAuthorization(
  runtime: Pick<AcquirerNoticeRuntime, 'acquirer'>,
  bookId: BookId,
  { kind, status, acquirer, reference }: PaymentOperation,
  { notice, callFor }: { notice: AcquirerNotice; callFor: CallFor },
): Promise<{ status: 'succeeded' | 'canceled'; authorization?: AuthorizationFacts | undefined } | undefined> {
  if (kind !== 'authorize' || notice.kind !== 'succeeded' || status === 'succeeded') return undefined;
  const answer = await runtime.acquirer(acquirer).inTurn(bookId, (its) => its.inquire(bookId, reference), callFor);
  if (answer.endToEndId !== reference) return undefined;
  if (answer.status === 'canceled') return { status: 'canceled' };
  return answer.status === 'succeeded' ? { status: 'succeeded', authorization: answer.authorization } : undefined;
}

function codeOf(code: string | null): DeclineCode | undefined {
  return DECLINE_CODES.find((known) => known === code);
}
