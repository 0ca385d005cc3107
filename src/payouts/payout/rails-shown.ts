/** The rails of a book as the API shows them: by the operator's settings, and as they are without settings. Pure. */
import type { Config } from '../../config.ts';
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import { proportionalFee } from '../../fees/fee-schedule.ts';
import type { Mode } from '../../ledger/book/book.ts';
import type { Rail } from '../../rails/rail.ts';
import type { AmountRange, RailSettings } from '../../rails/settings/rail-settings.ts';
import { BOOK_RAIL } from '../destinations/account.ts';
import type { Destination, FeeSetting } from '../destinations/destination.ts';
import { feeSettingOf } from '../destinations/destinations.ts';

/** What a payout to a destination must name. */
const REQUIRED: Readonly<Record<Destination['type'], readonly string[]>> = {
  cliq: ['alias'],
  card: ['card'],
  account: ['account'],
  iban: ['iban', 'name'],
  // Or `phone` in its place.
  wallet: ['wallet_id'],
};

export interface RailsOf {
  readonly mode: Mode;
  readonly rails: readonly Pick<Rail, 'name' | 'mode' | 'destinations'>[];
  /** Those in force. */
  readonly settings: RailSettings;
  readonly config: Pick<Config, FeeSetting>;
  /** Whether what the operator pauses keeps the payouts of a rail back, by its name. */
  isPaused(rail: string): boolean;
}

/** Rails of the mode, and the book's own transfers. Those that only the settings name are not configured in this process. */
export function railsShown({ mode, rails, settings, config, isPaused }: RailsOf) {
  const served = [
    ...rails.filter((rail) => rail.mode === mode),
    { name: BOOK_RAIL, destinations: ['account'] as const },
  ];
  const named = [...settings.rails.values()].filter((terms) => terms.mode === mode).map(({ name }) => name);
  const missing = named.filter((name) => !served.some((rail) => rail.name === name));
  const shown = served.map(({ name, destinations }) => {
    const terms = settings.rails.get(name);
    const isKeptBack = isPaused(name);
    return {
      ...facts(name, mode, terms),
      destinations: destinations
        .filter((type) => isCarried({ mode, settings }, name, type))
        .map((type) => ({
          type,
          required: requiredBy(terms, type),
          fees: feesOf({ mode, settings, config }, name, type),
        })),
      available: !isKeptBack,
      unavailable_reason: isKeptBack ? 'paused' : null,
    };
  });
  const notServed = missing.map((name) => ({
    ...facts(name, mode, settings.rails.get(name)),
    destinations: [],
    available: false,
    unavailable_reason: 'not_configured',
  }));
  return [...shown, ...notServed];
}

/** Where the settings have rails of a mode, a route leads to what they carry. */
function isCarried({ mode, settings }: Pick<RailsOf, 'mode' | 'settings'>, rail: string, type: Destination['type']) {
  const routes = type === 'account' ? undefined : settings.routes.get(mode);
  return routes?.some((route) => route.rail === rail && route.destination === type) ?? true;
}

type Terms = ReturnType<RailSettings['rails']['get']>;

/** A bank may ask for the payee's address. */
function requiredBy(terms: Terms, type: Destination['type']): readonly string[] {
  const asksForAddress = terms?.adapter.type === 'iso20022' && terms.adapter.payee_address === 'required';
  return type === 'iban' && asksForAddress ? [...REQUIRED[type], 'address'] : REQUIRED[type];
}

function facts(name: string, mode: Mode, terms: Terms) {
  const schedule = terms?.schedule ?? null;
  return {
    object: 'rail',
    name,
    mode,
    settles: terms?.adapter.type === 'iso20022' ? 'file' : 'instant',
    currencies: terms ? [...terms.amounts].map(([currency, range]) => ({ currency, ...rangeOf(range) })) : null,
    time_zone: schedule?.timeZone ?? null,
    cut_off: schedule?.cutOff ?? null,
    calendar: schedule?.calendar ?? null,
    days_to_arrive: schedule?.daysToArrive ?? null,
  };
}

/** By the routes that lead to the rail; without any, by the variable of the destination, whatever the currency. */
function feesOf(
  { mode, settings, config }: Pick<RailsOf, 'mode' | 'settings' | 'config'>,
  rail: string,
  type: Destination['type'],
) {
  const otherwise = proportionalFee(BigInt(config[feeSettingOf(type)]));
  const all = type === 'account' ? settings.routesOfBook : (settings.routes.get(mode) ?? []);
  const routes = all.filter((route) => route.rail === rail && route.destination === type);
  if (routes.length === 0) return [{ currency: null, minimum: null, maximum: null, ...feeOf(otherwise) }];
  return routes.map((route) => ({
    currency: route.currency,
    ...rangeOf(route),
    ...feeOf(route.fee ?? otherwise),
  }));
}

function rangeOf({ minimum, maximum }: AmountRange) {
  return { minimum, maximum };
}

function feeOf({ fixed, basisPoints, minimum, maximum }: FeeSchedule) {
  return { fixed, basis_points: Number(basisPoints), fee_minimum: minimum, fee_maximum: maximum };
}
