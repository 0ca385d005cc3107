/**
 * The content of controls: limits, and what is allowed or blocked. Amounts are in minor units of the account's
 * currency.
 * Next: content-errors.ts (what fits together), ../decision/controls-rules.ts and limit-rules.ts (how it decides).
 */
import type { CalendarWindow } from '../../calendar/counting-windows.ts';
import { hasMcc } from '../purchase/merchant-category.ts';
import type { DebitKind, EntryMode, PurchaseFacts } from '../purchase/purchase-facts.ts';

export type LimitWindow =
  /** One purchase, with its increments. */
  | 'authorization'
  | CalendarWindow
  /** From the first purchase on. */
  | 'all_time';

/** What a limit is for: of each member that is given, one has to fit. */
export interface LimitFilter {
  readonly kinds?: readonly DebitKind[];
  /** Codes and ranges. */
  readonly mccs?: readonly string[];
  readonly countries?: readonly string[];
  readonly merchants?: readonly string[];
  readonly entryModes?: readonly EntryMode[];
}

/** An amount, a count, or both. */
export interface Limit {
  readonly window: LimitWindow;
  readonly amount: bigint | null;
  readonly count: bigint | null;
  /** Null: for every purchase. */
  readonly for: LimitFilter | null;
  /** Refunds give back what purchases used up. Of `all_time` alone. */
  readonly netOfRefunds: boolean;
}

/** One of them. */
export interface AllowOrBlock {
  readonly allow?: readonly string[];
  readonly block?: readonly string[];
}

export interface ControlsContent {
  readonly limits: readonly Limit[];
  /** Codes and ranges. */
  readonly mcc: AllowOrBlock | null;
  readonly countries: AllowOrBlock | null;
  readonly merchants: AllowOrBlock | null;
  readonly entryModes: { readonly allow: readonly EntryMode[] } | null;
  /** Cash, quasi-cash and cashback. */
  readonly cash: 'allow' | 'block' | null;
  /** E-commerce above the amount needs an authenticated cardholder. */
  readonly requireThreeDSecureAbove: bigint | null;
}

/**
 * Whether the limit is for a purchase like this. A fact that the purchase does not have fits no member that asks for
 * it.
 */
export function isFor({ for: filter }: Pick<Limit, 'for'>, facts: PurchaseFacts): boolean {
  if (filter === null) return true;
  const { kinds, mccs, countries, merchants, entryModes } = filter;
  return (
    (kinds === undefined || (kinds as readonly string[]).includes(facts.kind)) &&
    (mccs === undefined || hasMcc(mccs, facts.mcc)) &&
    (countries === undefined || countries.includes(facts.country)) &&
    (merchants === undefined || merchants.includes(facts.merchantId)) &&
    (entryModes === undefined || (facts.entryMode !== null && entryModes.includes(facts.entryMode)))
  );
}

/** Limits of a period with a filter. All others share the counter of their scope. */
export function hasOwnCounter({ window, for: filter }: Pick<Limit, 'window' | 'for'>): boolean {
  return filter !== null && window !== 'authorization';
}
