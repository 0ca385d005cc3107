/** What an acquirer's notice means for an operation: the payments' part of the inbox (outside/take-notices.ts). */
import type { Acquirer, AcquirerNotice, AuthorizationFacts } from '../acquirers/acquirer.ts';
import { DECLINE_CODES, DECLINES, type DeclineCode } from '../acquirers/decline-codes.ts';
import type { ReleaseSchedule } from '../calendar/release-schedule.ts';
import { openOnce } from '../exceptions/open-exception.ts';
import { JsonText } from '../json.ts';
import type { BookId } from '../ledger/book.ts';
import type { Command } from '../ledger/command.ts';
import type { Committer } from '../ledger/committer.ts';
import { inquiryPauseMs } from '../outside/inquiry.ts';
import type { Inbox } from '../outside/notice.ts';
import { type NoticeRuntime, type NoticeTaker, takeNotices } from '../outside/take-notices.ts';
import { type AcquirerReport, mismatchesOf } from './acquirer-report.ts';
import { readToday } from './earn-share.ts';
import type { PaymentOperation } from './payment-operation.ts';
import { findOperationsByReference } from './payment-store.ts';
import { payments } from './payment-table.ts';
import { settleOperation } from './settle-operation.ts';

export interface AcquirerNoticeRuntime extends Omit<NoticeRuntime, 'party' | 'openException'> {
  readonly committer: Committer;
  readonly release: ReleaseSchedule;
  acquirer(name: string): Acquirer;
}

/** Books what the inbox holds of one book and acquirer. Resolves to how many notices need not be told again. */
export function takeAcquirerNotices(runtime: AcquirerNoticeRuntime, inbox: Inbox): Promise<number> {
  const notices: NoticeRuntime = {
    ...runtime,
    party: (name) => runtime.acquirer(name),
    openException: (bookId, exception) => runtime.committer.submit(bookId, openOnce(exception)),
  };
  return takeNotices(notices, operationTaker(runtime), inbox);
}

function operationTaker(runtime: AcquirerNoticeRuntime): NoticeTaker<PaymentOperation> {
  return {
    noun: 'payment',
    async find({ bookId, party }, references) {
      const found = await findOperationsByReference(runtime.pool, bookId, references);
      for (const [reference, { acquirer }] of found) if (acquirer !== party) found.delete(reference);
      return found;
    },
    async book({ bookId }, operation, told) {
      const command = await noticeCommand(runtime, bookId, operation, {
        // A notice of another kind than these is unreadable, and never booked.
        notice: told.notice as AcquirerNotice,
        evidence: told.evidence,
      });
      return runtime.committer.submit(bookId, command);
    },
    // A refund fails after it succeeded: that has not been taken in yet.
    isTooEarly: (operation, { kind }) => kind === 'refund_failed' && operation.status === 'pending',
  };
}

/** The command by which a notice is taken in. Throws Error where the payment is not there: a bug. */
export async function noticeCommand(
  runtime: Pick<AcquirerNoticeRuntime, 'pool' | 'clock' | 'release' | 'acquirer'>,
  bookId: BookId,
  operation: PaymentOperation,
  { notice, evidence }: { notice: AcquirerNotice; evidence: string },
): Promise<Command<PaymentOperation>> {
  const payment = await payments.find(runtime.pool, bookId, operation.paymentId);
  if (!payment) throw new Error(`The payment of operation ${operation.id} does not exist`);
  const status = notice.kind === 'succeeded' ? 'succeeded' : 'declined';
  const code = codeOf(notice.code);
  const report: AcquirerReport = {
    call: 'notice',
    noticeId: notice.id,
    status,
    code: status === 'declined' ? code : undefined,
    networkCode: status === 'declined' && code ? DECLINES[code].networkCode : undefined,
    reference: notice.reference,
    authorization: await factsOf(runtime, bookId, operation, notice),
    nextInquiryMs: inquiryPauseMs(runtime.acquirer(operation.acquirer), operation),
    mismatches: mismatchesOf(operation, { status, confirmed: notice.confirmed }),
    raw: new JsonText(evidence),
  };
  const today = await readToday(runtime, bookId);
  return settleOperation(bookId, { payment, operation, report, release: runtime.release, today });
}

/** A notice says nothing about an authorization but that it succeeded: the acquirer is asked for the rest. */
async function factsOf(
  runtime: Pick<AcquirerNoticeRuntime, 'acquirer'>,
  bookId: BookId,
  { kind, status, acquirer, reference }: PaymentOperation,
  notice: AcquirerNotice,
): Promise<AuthorizationFacts | undefined> {
  if (kind !== 'authorize' || notice.kind !== 'succeeded' || status === 'succeeded') return undefined;
  const answer = await runtime.acquirer(acquirer).inquire(bookId, reference);
  return answer.status === 'succeeded' ? answer.authorization : undefined;
}

function codeOf(code: string | null): DeclineCode | undefined {
  return DECLINE_CODES.find((known) => known === code);
}
