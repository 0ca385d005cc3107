/** Controls of cards, for tests and their reference. */
import { type ControlsContent, hasOwnCounter, isFor } from '../../src/cards/controls/controls-content.ts';
import type { PurchaseFacts } from '../../src/cards/purchase/purchase-facts.ts';

/** Controls that say nothing. */
export const NO_CONTROLS: ControlsContent = {
  limits: [],
  mcc: null,
  countries: null,
  merchants: null,
  entryModes: null,
  cash: null,
  requireThreeDSecureAbove: null,
};

/** The places of the limits whose own counters a purchase like this changes. */
export function countersFor({ limits }: Pick<ControlsContent, 'limits'>, facts: PurchaseFacts): number[] {
  return limits.flatMap((limit, place) => (hasOwnCounter(limit) && isFor(limit, facts) ? [place] : []));
}
