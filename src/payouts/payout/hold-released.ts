/** The release of a payout that has waited: it is routed, limited, counted and held as one that is made at that moment. */
import type { Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { putCounter, withinLimits } from '../limits/count-payout.ts';
import { arrivalOf, refuseRoute } from '../routing/route-payout.ts';
import { holdPayout } from './hold-payout.ts';
import type { Payout } from './payout.ts';
import { accountsPassed } from './payout-touches.ts';
import type { ReleaseRoute } from './route-release.ts';

/** What its release sets of a payout. */
export interface ReleaseTerms extends Pick<Payout, 'rail' | 'expectedArrival' | 'countedOn'> {
  readonly refused?: undefined;
}

/** Counts the payout on the day of its release and places its hold, or returns why not and changes nothing. */
export function holdReleased(draft: Draft, payout: Payout, route: ReleaseRoute): ReleaseTerms | Refusal {
  const routing = route(payout, draft.book);
  if (routing.rail === null) return refuseRoute(routing.noRoute);
  const within = withinLimits(draft, { amount: payout.amount, currency: payout.currency, limits: routing.limits });
  if (within.refused) return within;
  const beyond = holdPayout(draft, payout, accountsPassed(draft.book.id, payout));
  if (beyond) return beyond;
  putCounter(draft, within);
  const expectedArrival = arrivalOf(routing, draft.moment.book);
  return { rail: routing.rail, expectedArrival, countedOn: within.counter?.day ?? null };
}
