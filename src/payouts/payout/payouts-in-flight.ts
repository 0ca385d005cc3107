import type { ClosingBlocker } from '../../ledger/command/closing-blocker.ts';
import { publicId } from '../../values/ids.ts';
import { inFlightPayouts } from './in-flight-store.ts';

/** An account stays open while a payout from it has not ended. */
export const payoutsInFlight: ClosingBlocker<'payouts_in_flight'> = {
  types: ['payouts_in_flight'],
  touches: (accountId) => [{ table: inFlightPayouts, ids: [accountId] }],
  find(draft, accountId) {
    const ids = draft.get(inFlightPayouts, accountId)?.payoutIds ?? [];
    if (ids.length === 0) return undefined;
    return { type: 'payouts_in_flight', payouts: ids.map((id) => publicId('payout', id)) };
  },
};
