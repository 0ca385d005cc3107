/**
 * A program's terms of one purchase: how long it holds, what it may clear beyond, what a fuel dispenser's check holds.
 */
import { hasMcc } from '../purchase/merchant-category.ts';
import type { PurchaseKind } from '../purchase/purchase-facts.ts';
import type { ExpiryDays, Program } from './program.ts';

/** Automated fuel dispensers: they ask before anybody knows how much is pumped. */
const FUEL_MCC = '5542';

/** By name from 3351 and 3501 on, and without one. */
const LONG_STAYS: readonly (readonly [mccs: readonly string[], days: keyof ExpiryDays])[] = [
  [['3501-3999', '7011'], 'lodging'],
  [['3351-3500', '7512'], 'carRental'],
  [['4411'], 'cruise'],
];

/** How much more than authorized may clear without an exception, in per cent. The first entry that has the category decides. */
export function tolerancePercentOf({ tolerances }: Pick<Program, 'tolerances'>, mcc: string): number {
  return tolerances.find(({ mccs }) => hasMcc(mccs, mcc))?.percent ?? 0;
}

/** For how many days an approval holds. `isStatusCheck`: of a fuel dispenser. */
export function expiryDaysOf(
  { expiryDays }: Pick<Program, 'expiryDays'>,
  { mcc, isStatusCheck }: { readonly mcc: string; readonly isStatusCheck: boolean },
): number {
  if (isStatusCheck) return expiryDays.fuel;
  const stay = LONG_STAYS.find(([mccs]) => hasMcc(mccs, mcc));
  return expiryDays[stay?.[1] ?? 'default'];
}

/** The facts of a request that distinguish a status check. */
export interface CheckedRequest {
  readonly message: 'authorization' | 'increment';
  /** A single message is posted as it is approved: it asks for what was pumped. */
  readonly form: 'dual' | 'single';
  readonly kind: PurchaseKind;
  readonly mcc: string;
  readonly amount: bigint;
  readonly currency: string;
}

/**
 * The amount on which a fuel dispenser's status check is decided, and held: at least its own. Undefined for other
 * requests.
 */
export function fuelAmountOf({ fuel }: Pick<Program, 'fuel'>, request: CheckedRequest): bigint | undefined {
  const { message, form, kind, mcc, amount, currency } = request;
  if (mcc !== FUEL_MCC || message !== 'authorization' || form !== 'dual' || kind !== 'purchase') return undefined;
  const terms = fuel.find((entry) => entry.currency === currency);
  if (terms === undefined || amount > terms.statusCheckMax) return undefined;
  return amount > terms.amount ? amount : terms.amount;
}
