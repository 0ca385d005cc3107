/**
 * A reader: a device that takes cards where the payer stands. It is asked for one card at a time: an action, made with its payment and
 * ended with it.
 * Invariant: a reader has an action exactly while that is in progress.
 * Next: reader-table.ts (rows), ../sources/terminal.ts (how an action begins), end-reader-action.ts.
 */

import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';

export type ReaderStatus =
  | 'registered'
  /** The integrator removed it. It is shown no more. */
  | 'removed';

export const READER_TRANSITIONS: Transitions<ReaderStatus> = {
  registered: ['removed'],
  removed: [],
};

export interface Reader {
  readonly id: Uuid;
  readonly status: ReaderStatus;
  /** For people. Null once it is erased. */
  readonly label: string | null;
  /** The action in progress. */
  readonly actionId: Uuid | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  readonly textSalt: Buffer | null;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type ReaderActionStatus =
  /** The reader asks for a card; a declined one leaves it asking. The payer moves it. */
  | 'in_progress'
  /** The payment is authorized. */
  | 'succeeded'
  /** Nobody presented a card in time, or too many were declined. */
  | 'failed'
  /** The integrator canceled the action, or its payment. */
  | 'canceled';

export const READER_ACTION_TRANSITIONS: Transitions<ReaderActionStatus> = {
  in_progress: ['succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
};

export const ENTRY_MODES = ['chip', 'contactless', 'magstripe'] as const;
export type EntryMode = (typeof ENTRY_MODES)[number];

export interface ReaderAction {
  readonly id: Uuid;
  readonly readerId: Uuid;
  readonly paymentId: Uuid;
  readonly status: ReaderActionStatus;
  /** That of the payment, without a tip. */
  readonly amount: bigint;
  readonly currency: string;
  /** Of the card that was presented last. */
  readonly entryMode: EntryMode | null;
  readonly failure: 'timed_out' | 'declined' | null;
  /** By the book's time: that of its payment. */
  readonly expiresAt: Instant;
  readonly requestId: Uuid;
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** As long as a payer stands at a counter. */
export const READER_ACTION_MS = 5 * 60_000;

export type ReaderRequest = 'delete';
export type ReaderActionRequest = 'cancel';

export function allowedOnReader({ status, actionId }: Reader): readonly ReaderRequest[] {
  return status === 'registered' && actionId === null ? ['delete'] : [];
}

export function allowedOnAction({ status }: ReaderAction): readonly ReaderActionRequest[] {
  return status === 'in_progress' ? ['cancel'] : [];
}
