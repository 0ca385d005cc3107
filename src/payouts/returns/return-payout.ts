/** Money of a paid payout that comes back, whole or in part. */

import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Outcome } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { evidenceTouch } from '../../outside/evidence/evidence.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { Payout } from '../payout/payout.ts';
import { mismatchTouches, raiseAtBank, raiseMismatches, raiseShort, shortTouches } from '../payout/payout-exception.ts';
import { payouts } from '../payout/payout-table.ts';
import { payoutTouches, returnTouches } from '../payout/payout-touches.ts';
import { NO_MISMATCH, type RailMismatch } from '../payout/rail-mismatch.ts';
import { keepAnswer } from '../payout/rail-report.ts';
import { bookReturn } from './return-steps.ts';
import { awaitReport, reportsShown, shownTouches } from './shown-at-bank.ts';
import { creditTakenBack, takenBackTouches } from './taken-back.ts';

export interface ReturnNotice {
  /** The rail's own id of the return: received twice, it is booked once. */
  id: Uuid;
  amount: bigint;
  reason: string | null;
  /** Facts in which the notice is not about this payout: where there are any, nothing is booked. */
  mismatches?: readonly RailMismatch[];
  /** Less than what is left is short of charges, and no part: an exception shows it. */
  isWhole?: boolean;
  /** Of a bank's statement, approved by two persons: the amount returned when it was read. */
  atBank?: { readonly returnedBefore: bigint };
  /** The notice as it came. */
  raw: unknown;
}

interface ReturnCommand {
  id: Uuid;
  payoutId: Uuid;
  requestId: Uuid;
  actor: string;
  notice: ReturnNotice;
}

export function returnPayout(bookId: BookId, payout: Payout, notice: ReturnNotice): Command<Payout> {
  const command: ReturnCommand = {
    id: newId(),
    payoutId: payout.id,
    requestId: payout.requestId,
    actor: `rail:${payout.rail}`,
    notice,
  };
  return {
    id: command.id,
    name: 'payout.return',
    requestId: payout.requestId,
    actor: command.actor,
    touches: [
      ...payoutTouches(bookId, payout),
      ...returnTouches(payout),
      ...takenBackTouches(payout),
      shownTouches(payout, notice.amount),
      ...(notice.isWhole ? shortTouches(payout) : []),
      evidenceTouch(notice.id),
      ...mismatchTouches(payout, notice.mismatches ?? NO_MISMATCH),
    ],
    decide: (state, moment) => decideReturn(state, command, moment),
  };
}

function decideReturn(state: BookState, command: ReturnCommand, moment: Moment): Outcome<Payout> {
  const draft = new Draft(state, command, moment);
  const { notice } = command;
  const payout = draft.get(payouts, command.payoutId);
  if (!payout) throw new Error(`Payout ${command.payoutId} does not exist`);
  // Received before we had applied that it was paid: it is not acknowledged and comes again.
  if (payout.status === 'processing') return draft.finish(payout);
  // The rail has reported one meanwhile, which the line may show: who asked looks again.
  if (notice.atBank !== undefined && notice.atBank.returnedBefore !== payout.amountReturned)
    return draft.finish(payout);
  if (!keepAnswer(draft, payout, { id: notice.id, call: 'notice', raw: notice.raw })) return draft.finish(payout);
  if (notice.mismatches !== undefined && notice.mismatches.length > 0) {
    raiseMismatches(draft, payout, notice.mismatches);
    return draft.finish(payout);
  }
  if (notice.atBank === undefined && reportsShown(draft, payout, notice)) return draft.finish(payout);
  const takenBack = payout.status === 'returned' ? creditTakenBack(draft, payout, notice) : undefined;
  if (takenBack !== undefined) {
    if (takenBack.missing > 0n) raiseShort(draft, payout, notice.amount);
    return draft.finish(payout);
  }
  if (payout.status !== 'paid' && payout.status !== 'returned') {
    raiseAtBank(draft, payout, {
      kind: 'return_of_unpaid',
      amount: notice.amount,
      detail: `The rail returned ${notice.amount} of a payout that is ${payout.status}. Nothing was booked.`,
    });
    return draft.finish(payout);
  }
  if (notice.amount > payout.amount - payout.amountReturned) {
    raiseAtBank(draft, payout, {
      kind: 'return_exceeds_payout',
      amount: notice.amount,
      detail: `The rail returned ${notice.amount}, more than was left of the payout. Nothing was booked.`,
    });
    return draft.finish(payout);
  }
  if (notice.atBank !== undefined) awaitReport(draft, payout, notice);
  const returned = bookReturn(draft, payout, notice);
  if (notice.isWhole && returned.status !== 'returned') raiseShort(draft, returned, notice.amount);
  return draft.finish(returned);
}
