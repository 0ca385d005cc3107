/**
 * Reserving a payout: its amount leaves the customer for transit, and it is on its way. A transfer within the book
 * arrives in the same commit; everything else is handed to its rail after it.
 */

import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Outcome } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { lifetimeTotal, RESERVE_TOTAL } from '../../ledger/command/lifetime-total.ts';
import type { BookState } from '../../ledger/command/state.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { behindOthers, type Payout } from './payout.ts';
import { markFailed, markPaid, markProcessing } from './payout-steps.ts';
import { payouts } from './payout-table.ts';
import { payoutTouches } from './payout-touches.ts';

/** Answers with the payout as it is now; one that was reserved before is left as it is. */
export function reservePayout(bookId: BookId, payout: Payout): Command<Payout> {
  const id = newId();
  return {
    id,
    name: 'payout.reserve',
    requestId: payout.requestId,
    actor: 'worker:ledger',
    touches: payoutTouches(bookId, payout),
    ...behindOthers(payout),
    decide: (state, moment) =>
      decideReservation(
        state,
        { id, payoutId: payout.id, requestId: payout.requestId, actor: 'worker:ledger' },
        moment,
      ),
  };
}

function decideReservation(
  state: BookState,
  command: { id: Uuid; payoutId: Uuid; requestId: Uuid; actor: string },
  moment: Moment,
): Outcome<Payout> {
  const draft = new Draft(state, command, moment);
  const payout = draft.get(payouts, command.payoutId);
  if (!payout) throw new Error(`Payout ${command.payoutId} does not exist`);
  if (payout.status === 'processing' && payout.outcome === null) {
    // Reserved before, by a commit whose answer may have been lost, and the payout's job with it.
    draft.enqueue({ pool: 'rails', job: 'payout.submit', id: payout.id });
    return draft.finish(payout);
  }
  if (payout.status !== 'pending') return draft.finish(payout);
  return draft.finish(reserve(draft, payout));
}

/** pending → processing, or failed where the account cannot give it. A transfer within the book is paid in the same commit. */
export function reserve(draft: Draft, payout: Payout): Payout {
  const account = draft.account(payout.accountId);
  if (account.status !== 'open') {
    return markFailed(draft, payout, {
      failureCode: account.status === 'frozen' ? 'source_account_frozen' : 'source_account_closed',
    });
  }
  if (hasNoRoom(draft, payout)) return markFailed(draft, payout, { failureCode: 'limit_exceeded' });
  const processing = markProcessing(draft, payout);
  if (processing.rail === 'book') return markPaid(draft, processing, {});
  draft.enqueue({ pool: 'rails', job: 'payout.submit', id: processing.id });
  return processing;
}

/** Whether an account on its way could not count it: what is reserved must have room to end (lifetime-total.ts). */
function hasNoRoom(draft: Draft, { amount, currency, destination }: Payout): boolean {
  const largest = RESERVE_TOTAL - amount;
  if (lifetimeTotal(draft.chart('payouts_in_transit', currency)) > largest) return true;
  return destination.type === 'account' && lifetimeTotal(draft.account(destination.accountId)) > largest;
}
