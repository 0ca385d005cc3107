/** An account with payouts in flight is not closed: what comes back of them needs it. */
import { publicId } from '../ids.ts';
import type { ClosingBlocker } from '../ledger/closing-blocker.ts';
import { type InFlightPayouts, inFlightPayouts } from './in-flight-store.ts';

export const blockedByPayouts: ClosingBlocker<InFlightPayouts> = {
  table: inFlightPayouts,
  list(found) {
    const payouts = found?.payoutIds ?? [];
    if (payouts.length === 0) return [];
    return [{ type: 'payouts_in_flight', payouts: payouts.map((id) => publicId('payout', id)) }];
  },
};
