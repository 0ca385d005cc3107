/**
 * The rails pool's jobs: carries reserved payouts to their rail and brings the answers back. The rail is called between
 * two commits, under an end-to-end id that is the same on every try. No answer is "unknown": resolved by asking.
 */

import type { Pool } from '../../db/pool.ts';
import type { SecretBox } from '../../db/secret-box.ts';
import type { RowFailed } from '../../group/moved-rows.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import type { Committer } from '../../ledger/commit/committer.ts';
import type { RowLoads } from '../../ledger/rows/row-loads.ts';
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
import { failureCodeOf } from '../../rails/failure-codes.ts';
import type { Rail, RailAnswer } from '../../rails/rail.ts';
import type { Clock } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import { ofPayout } from '../destinations/destination.ts';
import { instructedDestination, payeeOf, pinnedAccount } from '../destinations/destinations.ts';
import { isPaused } from '../pauses/pause.ts';
import { markPaused } from '../pauses/pause-store.ts';
import type { RecentPauses } from '../pauses/recent-pauses.ts';
import { movedPayouts } from '../payout/moved-payouts.ts';
import { NOTHING_TRAVELS, type Payout } from '../payout/payout.ts';
import { hasOpenMismatch } from '../payout/payout-exception.ts';
import { mismatchesOf, NO_MISMATCH } from '../payout/rail-mismatch.ts';
import { applyRailReport } from './apply-rail-report.ts';
import { recordUnknown } from './await-outcome.ts';
import { countFailure, type RailFailures } from './count-failure.ts';

export interface SendRuntime {
  pool: Pool;
  payouts: Pick<RowLoads<Payout>, 'load'>;
  committer: Committer;
  clock: Clock;
  secretBox: SecretBox;
  rail(name: string): Rail & InTurn<Rail>;
  calls: OutsideCalls;
  rowFailed: RowFailed;
  pauses: Pick<RecentPauses, 'read' | 'readAgain'>;
  metrics: { readonly railFailures: RailFailures };
}

/** First job after the reservation: submits at once, unless an operator keeps it back. */
export function submitPayouts(runtime: SendRuntime, bookId: BookId, payoutIds: readonly Uuid[]): Promise<void> {
  return eachInProcess(runtime, { bookId, payoutIds }, async (sender, payout) => {
    if (await isKeptBack(runtime, bookId, payout)) return;
    await submitInstruction(sender, payout);
  });
}

/** Asked once it is the payout's turn at its rail: a job may have waited for it. A payout that is kept back stays due, and is marked. */
async function isKeptBack(runtime: SendRuntime, bookId: BookId, { id, rail }: Payout): Promise<boolean> {
  if (!isPaused(await runtime.pauses.read(), { bookId, rail })) return false;
  if (!isPaused(await runtime.pauses.readAgain(), { bookId, rail })) return false;
  await markPaused(runtime.pool, bookId, { ids: [id], now: runtime.clock.now() });
  return true;
}

/** For payouts whose outcome no answer has reported. */
export function inquirePayouts(runtime: SendRuntime, bookId: BookId, payoutIds: readonly Uuid[]): Promise<void> {
  const now = () => runtime.clock.now();
  return eachInProcess(runtime, { bookId, payoutIds, behind: true }, (sender, payout) =>
    inquireInstruction(sender, payout, now),
  );
}

async function eachInProcess(
  runtime: SendRuntime,
  { bookId, payoutIds, behind }: { bookId: BookId; payoutIds: readonly Uuid[]; behind?: boolean },
  act: (sender: Sender<Payout, RailAnswer>, payout: Payout) => Promise<void>,
): Promise<void> {
  const found = [...(await runtime.payouts.load(bookId, payoutIds)).values()];
  await callForEach<Payout, Rail>(
    runtime,
    {
      ...{ bookId, moved: movedPayouts },
      rows: found.filter(({ status, rail }) => status === 'processing' && rail !== 'book'),
      isBehind: ({ batchId }) => behind === true || batchId !== null,
      partyOf: ({ rail }) => runtime.rail(rail),
    },
    (payout, rail) => act(payoutSender(runtime, bookId, rail), payout),
  );
}

/** Sends by this rail, in whose turn it is called. */
function payoutSender(runtime: SendRuntime, bookId: BookId, rail: Rail): Sender<Payout, RailAnswer> {
  return {
    party: () => rail,
    endToEndId: ({ endToEndId }) => endToEndId,
    sentAt: ({ sentAt, createdAt }) => sentAt ?? createdAt,
    async submit(payout, notAfter) {
      failpoint('rail.submit.before');
      const of = ofPayout(bookId, payout.id);
      const answer = await rail.submit({
        originator: bookId,
        endToEndId: payout.endToEndId,
        destination: instructedDestination(runtime.secretBox, payout.destination, of),
        account: pinnedAccount(runtime.secretBox, payout.destination, of),
        amount: payout.amount,
        currency: payout.currency,
        remittance: payout.remittance || null,
        description: payout.remittance === NOTHING_TRAVELS ? null : payout.description,
        purposeCode: payout.purposeCode,
        notAfter,
        batch: payout.batchId,
      });
      failpoint('rail.submit.after');
      return answer;
    },
    async inquire({ endToEndId }) {
      failpoint('rail.inquire.before');
      const answer = await rail.inquire(bookId, endToEndId);
      failpoint('rail.inquire.after');
      return answer;
    },
    // A payout that the rail reported as paid with a mismatch is not sent again. Read now: a notice may have reported
    // it.
    maySendAgain: async (payout) =>
      !(await hasOpenMismatch(runtime.pool, bookId, payout.id)) && !(await isKeptBack(runtime, bookId, payout)),
    async take(payout, outcome) {
      const after = await runtime.committer.submit(bookId, commandOf(runtime, bookId, { payout, outcome }));
      countFailure(runtime.metrics.railFailures, payout, after);
    },
  };
}

/** The command that applies the outcome of a call. */
function commandOf(
  runtime: SendRuntime,
  bookId: BookId,
  { payout, outcome }: { payout: Payout; outcome: SendOutcome<RailAnswer> },
): Command<Payout> {
  const rail = runtime.rail(payout.rail);
  const { call } = outcome;
  const nextInquiryMs = inquiryPauseMs(rail, payout);
  if (outcome.result === 'unknown') return recordUnknown(bookId, payout, { call, nextInquiryMs, raw: outcome.raw });
  if (outcome.result === 'not_found')
    return applyRailReport(bookId, payout, {
      call,
      ...(outcome.never
        ? { status: 'rejected', failureCode: 'payee_bank_unavailable', railCode: 'NOT_FOUND' }
        : { status: 'pending' }),
      idUnknown: true,
      nextInquiryMs,
      mismatches: NO_MISMATCH,
      raw: outcome.answer,
    });
  const { answer } = outcome;
  const payee = () => payeeOf(runtime.secretBox, payout.destination, ofPayout(bookId, payout.id));
  return applyRailReport(bookId, payout, {
    call,
    status: answer.status,
    failureCode: answer.status === 'rejected' ? failureCodeOf(answer.code) : undefined,
    railCode: answer.code,
    railReference: answer.reference,
    warning: answer.warning,
    nextInquiryMs,
    mismatches: mismatchesOf(rail, payout, answer, payee),
    raw: answer.raw,
  });
}
