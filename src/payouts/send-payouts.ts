/**
 * The rails pool's jobs: carries reserved payouts to their rail and brings the answers back. The rail is called between
 * two commits, under an end-to-end id that is the same on every try. No answer is "unknown": settled by asking.
 */
import type { Clock, Instant } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { failpoint } from '../failpoints.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Committer } from '../ledger/committer.ts';
import { askParty, type Heard } from '../outside/ask-party.ts';
import type { OutsideCalls } from '../outside/call-shares.ts';
import { afterNotFound, finalAfter, inquiryPauseMs } from '../outside/inquiry.ts';
import { failureCodeOf } from '../rails/failure-codes.ts';
import type { Rail, RailAnswer } from '../rails/rail.ts';
import { recordUnknown } from './await-outcome.ts';
import { instructedDestination, payeeOf } from './destinations.ts';
import type { Payout } from './payout.ts';
import { hasOpenMismatch } from './payout-exception.ts';
import { payouts } from './payout-table.ts';
import { mismatchesOf, NO_MISMATCH } from './rail-mismatch.ts';
import type { RailReport } from './rail-report.ts';
import type { RowFailure } from './row-failure.ts';
import { settlePayout } from './settle-payout.ts';

export interface SendRuntime {
  pool: Pool;
  committer: Committer;
  clock: Clock;
  secretBox: SecretBox;
  rail(name: string): Rail;
  calls: OutsideCalls;
  payoutFailed: RowFailure;
}

/** First job after the reservation: submits at once. An earlier try that died is harmless, the rail knows the id. */
export function submitPayouts(runtime: SendRuntime, bookId: BookId, payoutIds: readonly Uuid[]): Promise<void> {
  return eachInProcess(runtime, { bookId, payoutIds }, (payout) => submit(runtime, bookId, payout));
}

/** For a payout of which nobody has told what became of it: asks, and submits again under the same id what the rail has not got. */
export function inquirePayouts(runtime: SendRuntime, bookId: BookId, payoutIds: readonly Uuid[]): Promise<void> {
  return eachInProcess(runtime, { bookId, payoutIds }, (payout) => inquire(runtime, bookId, payout));
}

async function eachInProcess(
  runtime: SendRuntime,
  rows: { bookId: BookId; payoutIds: readonly Uuid[] },
  act: (payout: Payout) => Promise<void>,
): Promise<void> {
  const found = await payouts.load(runtime.pool, rows.bookId, rows.payoutIds);
  await Promise.all(
    [...found.values()].map((payout) => {
      if (payout.status !== 'processing' || payout.rail === 'book') return undefined;
      return runtime.calls.make({ party: runtime.rail(payout.rail), bookId: rows.bookId, id: payout.id }, () =>
        act(payout).catch((error: unknown) => runtime.payoutFailed(rows.bookId, payout.id, error)),
      );
    }),
  );
}

async function submit(runtime: SendRuntime, bookId: BookId, payout: Payout): Promise<void> {
  const rail = runtime.rail(payout.rail);
  const heard = await askParty(payout.endToEndId, async () => {
    failpoint('rail.submit.before');
    const answer = await rail.submit({
      originator: bookId,
      endToEndId: payout.endToEndId,
      destination: instructedDestination(runtime.secretBox, payout.destination, { bookId, payoutId: payout.id }),
      amount: payout.amount,
      currency: payout.currency,
      notAfter: finalAfter(rail, sentAt(payout)),
    });
    failpoint('rail.submit.after');
    return answer;
  });
  await takeHeard(runtime, bookId, { payout, rail, call: 'submit', heard });
}

async function inquire(runtime: SendRuntime, bookId: BookId, payout: Payout): Promise<void> {
  const rail = runtime.rail(payout.rail);
  const heard = await askParty(payout.endToEndId, async () => {
    failpoint('rail.inquire.before');
    const answer = await rail.inquire(bookId, payout.endToEndId);
    failpoint('rail.inquire.after');
    return answer;
  });
  if (heard.said !== 'not_found') {
    await takeHeard(runtime, bookId, { payout, rail, call: 'inquire', heard });
    return;
  }
  const next = afterNotFound(rail, heard.answer, { sentAt: sentAt(payout), now: runtime.clock.now() });
  // Nor is what the rail has said it paid, if otherwise than it should, sent to it again. Read now: a notice may have said so.
  if (next === 'send_again' && !(await hasOpenMismatch(runtime.pool, bookId, payout.id))) {
    await submit(runtime, bookId, payout);
    return;
  }
  const report: RailReport = {
    call: 'inquire',
    ...(next === 'never_received'
      ? { status: 'rejected', failureCode: 'payee_bank_unavailable', railCode: 'NOT_FOUND' }
      : { status: 'pending' }),
    idUnknown: true,
    nextInquiryMs: inquiryPauseMs(rail, payout),
    mismatches: NO_MISMATCH,
    raw: heard.answer,
  };
  await runtime.committer.submit(bookId, settlePayout(bookId, payout, report));
}

async function takeHeard(
  runtime: SendRuntime,
  bookId: BookId,
  facts: { payout: Payout; rail: Rail; call: RailReport['call']; heard: Heard<RailAnswer> },
): Promise<void> {
  const { payout, rail, call, heard } = facts;
  const nextInquiryMs = inquiryPauseMs(rail, payout);
  if (heard.said === 'unknown') {
    await runtime.committer.submit(bookId, recordUnknown(bookId, payout, { call, nextInquiryMs, raw: heard.raw }));
    return;
  }
  const { answer } = heard;
  const payee = () => payeeOf(runtime.secretBox, payout.destination, { bookId, payoutId: payout.id });
  await runtime.committer.submit(
    bookId,
    settlePayout(bookId, payout, {
      call,
      status: answer.status,
      failureCode: answer.status === 'rejected' ? failureCodeOf(answer.code) : undefined,
      railCode: answer.code,
      railReference: answer.reference,
      nextInquiryMs,
      mismatches: mismatchesOf(rail, payout, answer, payee),
      raw: answer.raw,
    }),
  );
}

function sentAt(payout: Payout): Instant {
  return payout.sentAt ?? payout.createdAt;
}
