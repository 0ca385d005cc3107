/**
 * The rails pool's jobs: carries reserved payouts to their rail and brings the answers back. The rail is called between
 * two commits, under an end-to-end id that is the same on every try. No answer is "unknown": settled by asking.
 */
import type { Clock } from '../clock.ts';
import type { Pool } from '../db/pool.ts';
import type { SecretBox } from '../db/secret-box.ts';
import { failpoint } from '../failpoints.ts';
import type { Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import type { Committer } from '../ledger/committer.ts';
import type { OutsideCalls } from '../outside/call-shares.ts';
import { failureCodeOf } from '../rails/failure-codes.ts';
import type { Rail, RailAnswer } from '../rails/rail.ts';
import { recordUnknown } from './await-outcome.ts';
import { aliasOf, inquiryPauseMs } from './inquiry.ts';
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
      return runtime.calls.make({ party: payout.rail, bookId: rows.bookId, id: payout.id }, () =>
        act(payout).catch((error: unknown) => runtime.payoutFailed(rows.bookId, payout.id, error)),
      );
    }),
  );
}

async function submit(runtime: SendRuntime, bookId: BookId, payout: Payout): Promise<void> {
  const rail = runtime.rail(payout.rail);
  let answer: RailAnswer;
  try {
    failpoint('rail.submit.before');
    answer = await rail.submit({
      originator: bookId,
      endToEndId: payout.endToEndId,
      alias: aliasOf(runtime, bookId, payout),
      provider: payout.destination.type === 'cliq' ? payout.destination.provider : null,
      amount: payout.amount,
      currency: payout.currency,
      notAfter: finalAfter(rail, payout),
    });
    failpoint('rail.submit.after');
  } catch (error) {
    await unknown(runtime, bookId, { payout, rail, call: 'submit', error });
    return;
  }
  await takeAnswer(runtime, bookId, { payout, rail, call: 'submit', answer });
}

async function inquire(runtime: SendRuntime, bookId: BookId, payout: Payout): Promise<void> {
  const rail = runtime.rail(payout.rail);
  let answer: Awaited<ReturnType<Rail['inquire']>>;
  try {
    failpoint('rail.inquire.before');
    answer = await rail.inquire(bookId, payout.endToEndId);
    failpoint('rail.inquire.after');
  } catch (error) {
    await unknown(runtime, bookId, { payout, rail, call: 'inquire', error });
    return;
  }
  if (answer.status !== 'not_found') {
    await takeAnswer(runtime, bookId, { payout, rail, call: 'inquire', answer });
    return;
  }
  // A paused worker may still be about to send: "not found" fails nothing until the rail itself would refuse the id.
  const isFinal = (answer.asOf ?? runtime.clock.now()) > finalAfter(rail, payout);
  // Nor is what the rail has said it paid, if otherwise than it should, sent to it again. Read now: a notice may have said so.
  const mayBePaid = !isFinal && (await hasOpenMismatch(runtime.pool, bookId, payout.id));
  if (!isFinal && !mayBePaid) {
    await submit(runtime, bookId, payout);
    return;
  }
  const report: RailReport = {
    call: 'inquire',
    ...(isFinal
      ? { status: 'rejected', failureCode: 'payee_bank_unavailable', railCode: 'NOT_FOUND' }
      : { status: 'pending' }),
    idUnknown: true,
    nextInquiryMs: inquiryPauseMs(rail, payout),
    mismatches: NO_MISMATCH,
    raw: answer,
  };
  await runtime.committer.submit(bookId, settlePayout(bookId, payout, report));
}

async function takeAnswer(
  runtime: SendRuntime,
  bookId: BookId,
  facts: { payout: Payout; rail: Rail; call: RailReport['call']; answer: RailAnswer },
): Promise<void> {
  const { payout, rail, call, answer } = facts;
  // Only a report that names our id says anything about it.
  if (answer.endToEndId !== payout.endToEndId) {
    await unknown(runtime, bookId, {
      payout,
      rail,
      call,
      error: new Error(`The rail answered about ${answer.endToEndId}`),
    });
    return;
  }
  await runtime.committer.submit(
    bookId,
    settlePayout(bookId, payout, {
      call,
      status: answer.status,
      failureCode: answer.status === 'rejected' ? failureCodeOf(answer.code) : undefined,
      railCode: answer.code,
      railReference: answer.reference,
      nextInquiryMs: inquiryPauseMs(rail, payout),
      mismatches: mismatchesOf(rail, payout, answer, (of) => aliasOf(runtime, bookId, of)),
      raw: answer.raw,
    }),
  );
}

async function unknown(
  runtime: SendRuntime,
  bookId: BookId,
  facts: { payout: Payout; rail: Rail; call: RailReport['call']; error: unknown },
): Promise<void> {
  const { payout, rail, call, error } = facts;
  const raw = { error: error instanceof Error ? error.message : String(error) };
  await runtime.committer.submit(
    bookId,
    recordUnknown(bookId, payout, { call, nextInquiryMs: inquiryPauseMs(rail, payout), raw }),
  );
}

function finalAfter(rail: Rail, payout: Payout): number {
  return (payout.sentAt ?? payout.createdAt) + rail.notFoundFinalAfterMs;
}
