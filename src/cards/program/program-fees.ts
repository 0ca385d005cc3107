/**
 * What a purchase costs its cardholder: of everything that is cleared and held of it together, so that two clearings cost what one would.
 */
import { type FeeSchedule, feeOf } from '../../fees/fee-schedule.ts';
import { isDebit, type PurchaseKind } from '../purchase/purchase-facts.ts';
import type { ProgramFees } from './program.ts';

export interface FeeBasis {
  readonly kind: PurchaseKind;
  /** The account's. */
  readonly currency: string;
  /** Null where the message names none. */
  readonly merchantCurrency: string | null;
}

/** The schedules that apply to a purchase: each is charged. Pin them with it: a program that changes charges nothing twice. */
export function feeSchedulesOf(fees: ProgramFees, { kind, currency, merchantCurrency }: FeeBasis): FeeSchedule[] {
  if (!isDebit(kind)) return [];
  const ofKind = kind === 'cash' ? fees.cash : kind === 'quasi_cash' ? fees.quasiCash : null;
  const isForeign = merchantCurrency !== null && merchantCurrency !== currency;
  return [ofKind, isForeign ? fees.foreignCurrency : null].filter((schedule) => schedule !== null);
}

/** What nothing costs is nothing, whatever the fixed part. Never falls as the amount grows. */
export function feeOfPurchase(amount: bigint, schedules: readonly FeeSchedule[]): bigint {
  if (amount === 0n) return 0n;
  return schedules.reduce((fee, schedule) => fee + feeOf(amount, schedule), 0n);
}

export interface FeeSoFar {
  /** What the purchase has come to. */
  readonly base: bigint;
  /** What is held and booked for that: by other schedules, where the message that is asked about brings some along. */
  readonly charged: bigint;
  readonly schedules: readonly FeeSchedule[];
}

/** What a purchase costs more with a further amount. Schedules that the amount brings along are of all that came before it too. */
export function feeOfMore(more: bigint, { base, charged, schedules }: FeeSoFar): bigint {
  return feeOfPurchase(base + more, schedules) - charged;
}
