/** Golden scenarios: sequences of messages, and the exact state after each, as the table of the scenarios writes it. */

import type { ProgramFees } from '../../../../src/cards/program/program.ts';
import type { FeeSchedule } from '../../../../src/fees/fee-schedule.ts';
import type { AccountFacts } from '../../../../src/transactions/booking/account-step.ts';
import type { Said } from '../messages.ts';

export interface Scenario {
  readonly name: string;
  /** What differs from a book in USD with 100000 posted, without fees, MCC 5411. */
  readonly start?: Partial<Start>;
  readonly rows: readonly Row[];
}

export interface Start {
  readonly account: Partial<AccountFacts>;
  readonly mcc: string;
  readonly fees: Partial<ProgramFees>;
  readonly holdsFuel: boolean;
  /** What controls say of cash. */
  readonly cash: 'block';
}

/** What happens, and: answer | hold | fee held | posted | available | status | used | entries | flags and exceptions. */
export type Row = readonly [Action, string];

export type Action = Said | OtherAction;

export type OtherAction =
  /** A message of another purchase than `first`; or an expiry by its operator (`/expire`), and not by the clock. */
  | { readonly says: Said; readonly of?: string; readonly shows?: string; readonly byHand?: true }
  /** The message of an earlier row again, perhaps with another amount. */
  | { readonly again: number; readonly amount?: bigint }
  | { readonly opens: bigint }
  | { readonly disputes: bigint }
  | { readonly ends: 'submitted' | 'won' | 'lost' | 'withdrawn' }
  | { readonly accountIs: AccountFacts['status'] }
  | { readonly settles: true };

/** A message is named by the row that it stands in, from 1. */
export const rowName = (row: number) => `row-${row}`;

const schedule = (change: Partial<FeeSchedule>): FeeSchedule => ({
  fixed: 0n,
  basisPoints: 0n,
  minimum: null,
  maximum: null,
  rounding: 'half_even',
  ...change,
});

export const CASH_FEE: Partial<ProgramFees> = { cash: schedule({ fixed: 300n }) };
export const MARKUP: Partial<ProgramFees> = { foreignCurrency: schedule({ basisPoints: 300n }) };
