/** The rail of a payout whose destination is placed: by the settings of the operator, else the one that carries its destination. */
import type { Mode } from '../../ledger/book/book.ts';
import type { Rails } from '../../rails/rails.ts';
import { type PayoutRouting, type RoutingRuntime, routePayout } from '../routing/route-payout.ts';
import type { PlacedDestination } from './place-destination.ts';

interface RoutePlacedRuntime extends RoutingRuntime {
  readonly rails: Pick<Rails, 'all'>;
}

export function routePlaced(
  runtime: RoutePlacedRuntime,
  { mode, amount, currency }: { readonly mode: Mode; readonly amount: bigint; readonly currency: string },
  { destination, rail, card }: PlacedDestination,
): PayoutRouting {
  const routing = routePayout(runtime, { mode, amount, currency, destination: destination.type }, rail);
  if (card == null || routing.rail === null || routing.rail === rail) return routing;
  const paysTokens = runtime.rails.all().find(({ name }) => name === routing.rail)?.paysTokensOf ?? [];
  return paysTokens.includes(card.issuedBy) ? routing : { ...routing, rail: null };
}
