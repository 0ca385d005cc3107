/** The rail of a payout by the operator's settings, and why none carries it. Pure. */
import type { AmountRange, RailSettings, Route } from './rail-settings.ts';
import type { RailMode, RoutedDestination } from './rail-words.ts';

export interface RoutedPayout {
  readonly mode: RailMode;
  readonly destination: RoutedDestination;
  readonly currency: string;
  readonly amount: bigint;
}

/** What of a payout no route carries: none goes there, none in that currency, or none of that amount. */
export type NoRoute =
  | { readonly lacks: 'destination' }
  | { readonly lacks: 'currency'; readonly currencies: readonly string[] }
  | { readonly lacks: 'amount'; readonly ranges: readonly AmountRange[] };

/** Undefined where the settings have nothing about such payouts: they go as without a file. */
export function routeOf(settings: RailSettings, payout: RoutedPayout): Route | NoRoute | undefined {
  const { mode, destination, currency, amount } = payout;
  if (destination === 'account') return settings.routesOfBook.find((route) => carries(route, currency, amount));
  const routes = settings.routes.get(mode)?.filter((route) => route.destination === destination);
  if (routes === undefined) return undefined;
  if (routes.length === 0) return { lacks: 'destination' };
  const inCurrency = routes.filter((route) => route.currency === currency);
  if (inCurrency.length === 0)
    return { lacks: 'currency', currencies: [...new Set(routes.map((route) => route.currency))].sort() };
  const found = inCurrency.find((route) => carries(route, currency, amount));
  return found ?? { lacks: 'amount', ranges: inCurrency.sort((a, b) => (a.minimum < b.minimum ? -1 : 1)) };
}

/** Rails to which routes of such destinations lead, whatever the currency and the amount. Undefined where the settings have nothing about them. */
export function railsOfRoutes(
  settings: RailSettings,
  { mode, destination }: Pick<RoutedPayout, 'mode' | 'destination'>,
): readonly string[] | undefined {
  const routes = settings.routes.get(mode)?.filter((route) => route.destination === destination);
  return routes && [...new Set(routes.map(({ rail }) => rail))];
}

function carries(route: Route, currency: string, amount: bigint): boolean {
  return route.currency === currency && amount >= route.minimum && amount <= route.maximum;
}
