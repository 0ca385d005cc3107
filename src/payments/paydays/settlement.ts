/**
 * A settlement: the lines of an acquirer's report for one book in one currency. A command takes at most
 * LINES_PER_COMMAND of them. `taken` counts the lines that are done, so each is booked once, whichever process
 * continues.
 * Invariant: pool and acquirer have moved by `amount`, the sum of the lines that were booked.
 */

import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { LineType } from './report.ts';

export type SettlementStatus =
  /** Some of its lines are still to be taken. The process that reads the report continues. */
  | 'received'
  /** Every line is booked, or is an exception. Final. */
  | 'completed';

export const SETTLEMENT_TRANSITIONS: Transitions<SettlementStatus> = { received: ['completed'], completed: [] };

export interface Settlement {
  readonly id: Uuid;
  readonly acquirer: string;
  readonly currency: string;
  readonly status: SettlementStatus;
  /** Of the report for this book. */
  readonly lines: number;
  /** What they come to, gross; negative on a day of more refunds. */
  readonly reported: bigint;
  /** How many lines have been taken, in order. */
  readonly taken: number;
  /** Gross of those that were booked. */
  readonly amount: bigint;
  /** How many of those taken were left to a person, and are not booked since. */
  readonly exceptions: number;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A line that was taken. Append-only: an exception that is booked after all has a second row. */
export interface SettlementLine {
  readonly id: Uuid;
  readonly settlementId: Uuid;
  /** The acquirer's. */
  readonly lineId: string;
  readonly type: LineType;
  readonly reference: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly paymentId: Uuid | null;
  readonly operationId: Uuid | null;
  /** Null for an exception, and where the lines of a command come to nothing. */
  readonly entryId: Uuid | null;
  readonly exceptionId: Uuid | null;
  readonly createdAt: Instant;
}

/** The most lines in one command. */
export const LINES_PER_COMMAND = 250;

/** When the sandbox acquirer pays a test book: payday.ts. */
export interface Payday {
  readonly id: Uuid;
  readonly status: 'open' | 'done';
  readonly paysAt: Instant;
  /** The reports that were made for it. Only the last one may have lines to be taken. */
  readonly reportIds: readonly Uuid[];
  readonly version: number;
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
