/**
 * Releases scheduled payouts at their time, in the book's own time: amount and fee are held, and the payout is reserved in the same commit,
 * so that its entry is posted at its own moment while a clock advances. What cannot be held, or is carried by no rail any more, fails.
 */
import type { Appointment } from '../../group/appointment.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import { newId } from '../../values/ids.ts';
import { countTouches } from '../limits/count-payout.ts';
import { isPaused } from '../pauses/pause.ts';
import { readPauses } from '../pauses/pause-store.ts';
import { payeeTouches } from '../payees/disable-payee.ts';
import { hasNewerDestination, isDisabled } from '../payees/pinned-payee.ts';
import { holdReleased, type ReleaseTerms } from './hold-released.ts';
import { movedPayouts } from './moved-payouts.ts';
import type { FailureCode, Payout } from './payout.ts';
import { markFailed, markReleased } from './payout-steps.ts';
import { areUnanswered } from './payout-store.ts';
import { payouts } from './payout-table.ts';
import { accountsTouched, arrivalTouches } from './payout-touches.ts';
import { reserve } from './reserve-payout.ts';
import { type ReleaseRoute, releaseRoute } from './route-release.ts';

export const payoutRelease: Appointment = {
  name: 'payouts that are scheduled',
  rows: movedPayouts,
  status: 'scheduled',
  column: 'scheduled_for',
  pool: 'ledger',
  job: 'payout.release',
  isUnderWay: areUnanswered,
  async command(pool, bookId, ids, outside) {
    const [known, pauses] = await Promise.all([payouts.load(pool, bookId, ids), readPauses(pool)]);
    return releasePayouts(bookId, [...known.values()].slice(0, PER_COMMAND), {
      route: releaseRoute(outside),
      keptBack: ({ rail }) => isPaused(pauses, { bookId, rail }),
    });
  },
};

/** To an account of the book, and to a payee, each touches six rows, and a currency one: as many as one command may touch. */
const PER_COMMAND = 150;

interface Release {
  readonly route: ReleaseRoute;
  /** Whether an operator's pause keeps one back that is held. */
  keptBack(payout: Payout): boolean;
}

/** Answers with how many were released or failed. Those whose time has not come, or that are not scheduled any more, stay unchanged. */
export function releasePayouts(bookId: BookId, known: readonly Payout[], outside: Release): Command<number> {
  const origin = { id: newId(), requestId: newId(), actor: 'worker:ledger' };
  const ids = known.map(({ id }) => id);
  return {
    ...origin,
    name: 'payout.release',
    touches: [
      { table: payouts, ids },
      { table: holds, ids: known.map(({ holdId }) => holdId) },
      { table: accounts, ids: [...new Set(known.flatMap((payout) => accountsTouched(bookId, payout)))] },
      ...known.flatMap((payout) => countTouches(bookId, payout)),
      ...known.flatMap(arrivalTouches),
      ...known.flatMap(({ payee }) => payeeTouches(payee)),
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      let released = 0;
      for (const id of draft.each(ids)) {
        const payout = draft.get(payouts, id);
        if (payout?.status !== 'scheduled' || payout.scheduledFor! > moment.book) continue;
        release(draft, payout, outside);
        released++;
      }
      return draft.finish(released);
    },
  };
}

function release(draft: Draft, payout: Payout, { route, keptBack }: Release): Payout {
  const terms = termsOfRelease(draft, payout, route);
  if (typeof terms === 'string') return markFailed(draft, payout, { failureCode: terms });
  const pending = markReleased(draft, payout, { event: 'payout.updated', terms });
  return keptBack(pending) ? pending : reserve(draft, pending);
}

/** Places the hold, or returns the code with which the payout fails. */
function termsOfRelease(draft: Draft, payout: Payout, route: ReleaseRoute): ReleaseTerms | FailureCode {
  const account = draft.account(payout.accountId);
  if (account.status === 'frozen') return 'source_account_frozen';
  if (account.status === 'closed') return 'source_account_closed';
  const { destination, payee } = payout;
  if (payee !== null && (hasNewerDestination(draft, payee) || isDisabled(draft, payee))) return 'payee_changed';
  if (destination.type === 'account' && draft.account(destination.accountId).status === 'closed')
    return 'payee_account_closed';
  const terms = holdReleased(draft, payout, route);
  if (terms.refused === undefined) return terms;
  const { refused } = terms;
  return refused === 'insufficient_funds' || refused === 'rail_unavailable' ? refused : 'limit_exceeded';
}
