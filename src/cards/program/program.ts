/**
 * The program: how a book's cards work. One a book; a book that never set anything has the defaults.
 * Next: program-errors.ts (what fits together), program-terms.ts (tolerance, expiry, fuel), program-fees.ts.
 */
import type { FeeSchedule } from '../../fees/fee-schedule.ts';
import type { EventName } from '../../ledger/events/event-names.ts';

/** It is one a book and has no id of its own, so that it is no resource. */
export const PROGRAM_EVENTS: readonly EventName[] = ['card_program.updated'];

/** An endpoint of the integrator that is asked before an approval, and may only narrow it. */
export interface DecisionEndpoint {
  readonly url: string;
  readonly timeoutMs: number;
  /** What applies where it does not answer in time, or in a wrong form. */
  readonly default: 'approve' | 'decline';
}

/** How much more than authorized may clear without an exception. */
export interface Tolerance {
  /** Codes and ranges. */
  readonly mccs: readonly string[];
  /** Whole percent. */
  readonly percent: number;
}

/** For how many days an authorization holds. */
export interface ExpiryDays {
  readonly default: number;
  readonly lodging: number;
  readonly carRental: number;
  readonly cruise: number;
  /** Of status checks at fuel dispensers. */
  readonly fuel: number;
}

/** What a fuel dispenser's status check holds, in minor units of the currency. */
export interface FuelAmount {
  readonly currency: string;
  readonly amount: bigint;
  /** A request of at most this amount is a status check. */
  readonly statusCheckMax: bigint;
}

/** In minor units of the account's currency. Null: free. */
export interface ProgramFees {
  readonly cash: FeeSchedule | null;
  readonly quasiCash: FeeSchedule | null;
  /** The markup: of a purchase in another currency than the account's, beside any other fee. */
  readonly foreignCurrency: FeeSchedule | null;
}

export interface Program {
  /** Null: every currency in which accounts are kept. */
  readonly currencies: readonly string[] | null;
  /** Of windows and days: the book's until somebody sets another, fixed by the first transaction. */
  readonly timeZone: string;
  readonly decision: DecisionEndpoint | null;
  readonly tolerances: readonly Tolerance[];
  readonly expiryDays: ExpiryDays;
  readonly fuel: readonly FuelAmount[];
  readonly fees: ProgramFees;
}

export const NO_FEES: ProgramFees = { cash: null, quasiCash: null, foreignCurrency: null };

export const DECISION_TIMEOUT_MS = { default: 1_000, least: 200, most: 2_000 } as const;

/** Tips at restaurants, bars, taxis and salons; late charges of lodging, car rental and cruises. As far as Visa's rules let them differ. */
export const DEFAULT_TOLERANCES: readonly Tolerance[] = [
  { mccs: ['5812', '5813', '5814', '4121', '7230'], percent: 20 },
  { mccs: ['3501-3999', '7011', '3351-3500', '7512', '4411'], percent: 15 },
];

export const DEFAULT_EXPIRY_DAYS: ExpiryDays = { default: 7, lodging: 30, carRental: 30, cruise: 30, fuel: 2 };

/** The program of a book that never set anything. */
export function defaultProgram(timeZone: string): Program {
  return {
    currencies: null,
    timeZone,
    decision: null,
    tolerances: DEFAULT_TOLERANCES,
    expiryDays: DEFAULT_EXPIRY_DAYS,
    fuel: [],
    fees: NO_FEES,
  };
}

/** A member that is given replaces its predecessor whole. */
export function withChange(program: Program, change: Partial<Program>): Program {
  return { ...program, ...change };
}

export function takesCurrency({ currencies }: Pick<Program, 'currencies'>, currency: string): boolean {
  return currencies === null || currencies.includes(currency);
}
