/** What a rail's notice means for its payout: the payout's part of the inbox (outside/notices/take-notices.ts). */
import type { SecretBox } from '../../db/secret-box.ts';
import { openOnce } from '../../exceptions/open-exception.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import { inquiryPauseMs } from '../../outside/instructions/inquiry.ts';
import { evidenceOf, type Inbox } from '../../outside/notices/notice.ts';
import {
  type NoticeRuntime,
  type NoticeTaker,
  type TakenNotices,
  takeNotices,
} from '../../outside/notices/take-notices.ts';
import { failureCodeOf } from '../../rails/failure-codes.ts';
import type { Rail, RailNotice } from '../../rails/rail.ts';
import { JsonText } from '../../values/json.ts';
import { ofPayout } from '../destinations/destination.ts';
import { payeeOf } from '../destinations/destinations.ts';
import { applyRailReport } from '../outcomes/apply-rail-report.ts';
import { countFailure, type RailFailures } from '../outcomes/count-failure.ts';
import type { Payout } from '../payout/payout.ts';
import { findPayoutsByEndToEndId } from '../payout/payout-store.ts';
import { mismatchesOf, type RailMismatch } from '../payout/rail-mismatch.ts';
import { returnPayout } from '../returns/return-payout.ts';

export interface RailNoticeRuntime extends Omit<NoticeRuntime, 'party' | 'openException'> {
  readonly committer: Committer;
  rail(name: string): Rail;
  readonly metrics: { readonly railFailures: RailFailures };
}

/** Books what the inbox holds of one book and rail. */
export function takeRailNotices(runtime: RailNoticeRuntime, inbox: Inbox): Promise<TakenNotices> {
  const notices: NoticeRuntime = {
    ...runtime,
    party: (name) => runtime.rail(name),
    openException: (bookId, exception) => runtime.committer.submit(bookId, openOnce(exception)),
  };
  return takeNotices(notices, payoutTaker(runtime), inbox);
}

function payoutTaker(runtime: RailNoticeRuntime): NoticeTaker<Payout> {
  return {
    noun: 'payout',
    async find({ bookId, party }, endToEndIds) {
      const found = await findPayoutsByEndToEndId(runtime.pool, bookId, endToEndIds);
      for (const [id, { rail }] of found) if (rail !== party) found.delete(id);
      return found;
    },
    async book({ bookId }, payout, received) {
      // A notice of another kind than these is unreadable, and never booked.
      const notice = received.notice as RailNotice;
      const compared = { ...compareNotice(runtime, payout, notice), evidence: received.evidence };
      const after = await runtime.committer.submit(bookId, noticeCommand(bookId, payout, notice, compared));
      countFailure(runtime.metrics.railFailures, payout, after);
      return after;
    },
    // Returned before we had applied that it was paid.
    isTooEarly: (payout, notice) => notice.kind === 'returned' && payout.status === 'processing',
    // The debit may come after the credit: it is what the return waits for.
    waitsAlone: ({ kind }) => kind === 'returned',
  };
}

/** What was found out about a notice before its command. */
export interface ComparedNotice {
  readonly mismatches: readonly RailMismatch[];
  /** When to ask the rail, where the notice leaves the payout unknown. */
  readonly nextInquiryMs: number;
  /** The rail returns payouts whole, if not for charges. */
  readonly isWhole?: boolean;
  /** The notice as it came: JSON. */
  readonly evidence: string;
}

/** Holds what the notice confirms against the payout. */
export function compareNotice(
  runtime: { readonly secretBox: SecretBox; rail(name: string): Rail },
  payout: Payout,
  notice: RailNotice,
): ComparedNotice {
  const rail = runtime.rail(payout.rail);
  const report = { status: notice.kind, confirmed: notice.confirmed, code: notice.code };
  const payee = () => payeeOf(runtime.secretBox, payout.destination, ofPayout(notice.originator, payout.id));
  return {
    mismatches: mismatchesOf(rail, payout, report, payee),
    nextInquiryMs: inquiryPauseMs(rail, payout),
    isWhole: rail.returnsWhole === true,
    evidence: evidenceOf(notice),
  };
}

/** What a notice means for its payout. */
export function noticeCommand(
  bookId: BookId,
  payout: Payout,
  notice: RailNotice,
  { mismatches, nextInquiryMs, isWhole = false, evidence }: ComparedNotice,
): Command<Payout> {
  const raw = new JsonText(evidence);
  if (notice.kind === 'returned') {
    const amount = notice.amount ?? payout.amount - payout.amountReturned;
    const reason = notice.code ?? null;
    return returnPayout(bookId, payout, { id: notice.id, amount, reason, mismatches, isWhole, raw });
  }
  return applyRailReport(bookId, payout, {
    call: 'notice',
    noticeId: notice.id,
    status: notice.kind,
    failureCode: notice.kind === 'rejected' ? failureCodeOf(notice.code) : undefined,
    railCode: notice.code || undefined,
    nextInquiryMs,
    mismatches,
    raw,
  });
}
