/** The rail of a payout, its fee, its limits and its days, by the settings of the operator (docs/rails.md). */
import { type ExecutionSchedule, expectedArrival } from '../../calendar/execution-day.ts';
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import type { PayoutLimits, RailSettings } from '../../rails/settings/rail-settings.ts';
import { type NoRoute, type RoutedPayout, routeOf } from '../../rails/settings/route.ts';
import type { Instant } from '../../values/clock.ts';

export interface RoutingRuntime {
  readonly railSettings: RailSettings;
}

export interface PayoutRouting {
  /** Null where no rail carries it. */
  readonly rail: string | null;
  /** Why, where settings leave it out. */
  readonly noRoute: NoRoute | null;
  /** Null: as the variable of the destination sets it. */
  readonly fee: FeeSchedule | null;
  /** Null: the rail pays at any moment. */
  readonly schedule: ExecutionSchedule | null;
  /** Null: nothing limits such payouts. */
  readonly limits: PayoutLimits | null;
  /** The digest of the settings, in hexadecimal digits. Null without any. */
  readonly configuration: string | null;
}

/** `railByDefault`: the rail of a payout about which the settings have nothing; null for none. */
export function routePayout(
  runtime: RoutingRuntime,
  payout: RoutedPayout,
  railByDefault: string | null,
): PayoutRouting {
  const settings = runtime.railSettings;
  const found = routeOf(settings, payout);
  const isRoute = found !== undefined && 'rail' in found;
  const rail = found === undefined ? railByDefault : isRoute ? found.rail : null;
  return {
    rail,
    noRoute: found !== undefined && !isRoute ? found : null,
    fee: isRoute ? found.fee : null,
    schedule: (rail === null ? undefined : settings.rails.get(rail)?.schedule) ?? null,
    limits: settings.limits[payout.mode].get(payout.currency) ?? null,
    configuration: settings.digest,
  };
}

/** Of a payout without settings. */
export const UNROUTED: PayoutRouting = {
  rail: null,
  noRoute: null,
  fee: null,
  schedule: null,
  limits: null,
  configuration: null,
};

/** When the payee should have the money of a payout that is held at a moment. */
export function arrivalOf({ schedule }: Pick<PayoutRouting, 'schedule'>, at: Instant): Instant {
  return schedule === null ? at : expectedArrival(schedule, at);
}

const UNAVAILABLE = 'rail_unavailable';

/** Why no rail carries a payout. */
export function refuseRoute(noRoute: NoRoute | null): Refusal {
  switch (noRoute?.lacks) {
    case undefined:
      return { refused: UNAVAILABLE, param: '/destination/type' };
    case 'destination':
      return {
        refused: UNAVAILABLE,
        param: '/destination/type',
        detail: 'No route leads to destinations of this type.',
        facts: { lacks: 'destination' },
      };
    case 'currency':
      return {
        refused: UNAVAILABLE,
        param: '/currency',
        detail: `No rail carries this currency there; rails carry ${noRoute.currencies.join(', ')}.`,
        facts: { lacks: 'currency' },
      };
    case 'amount': {
      const ranges = noRoute.ranges.map(({ minimum, maximum }) => `${minimum} to ${maximum}`);
      return {
        refused: UNAVAILABLE,
        param: '/amount',
        detail: `No rail carries this amount there; rails carry ${ranges.join(', ')}.`,
        facts: { lacks: 'amount' },
      };
    }
  }
}
