/**
 * A payout: money that leaves an account for a destination, over a rail or within the book.
 * Invariant: from acceptance to its end, amount and fee are out of the account's available balance: held while
 * `pending`, then the amount posted to transit and the fee still held.
 * Next: payout-table.ts (its rows), payout-steps.ts (its journal), accept-payout.ts, reserve-payout.ts, settle-payout.ts.
 */

import type { Transitions } from '../../ledger/rows/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Destination } from '../destinations/destination.ts';

export type PayoutStatus =
  /** Accepted, funds held, nothing posted. The API creates it, the ledger pool moves it. */
  | 'pending'
  /** Posted to transit, on its way through a rail. The rails pool moves it. */
  | 'processing'
  /** Confirmed by the rail. Only a return follows. */
  | 'paid'
  /** It certainly never left; what was held or in transit is back. Final unless the rail contradicts itself. */
  | 'failed'
  /** Called back before it was on its way. Final. */
  | 'canceled'
  /** Paid, and come back whole. Final. */
  | 'returned';

export const PAYOUT_TRANSITIONS: Transitions<PayoutStatus> = {
  pending: ['processing', 'failed', 'canceled'],
  processing: ['paid', 'failed'],
  paid: ['returned'],
  failed: ['paid'],
  canceled: [],
  returned: [],
};

/** Why a payout failed, in the API's words; the rail's own code stands beside it. */
export type FailureCode =
  | 'payee_account_closed'
  | 'payee_account_blocked'
  | 'payee_account_invalid'
  | 'alias_unregistered'
  | 'payee_name_mismatch'
  | 'payee_bank_unavailable'
  | 'amount_exceeds_rail_limit'
  | 'rail_suspended'
  | 'refused_by_payee'
  | 'compliance_rejected'
  | 'source_account_frozen'
  | 'source_account_closed'
  | 'limit_exceeded';

export interface Payout {
  readonly id: Uuid;
  readonly status: PayoutStatus;
  /** The account the money leaves. */
  readonly accountId: Uuid;
  /** Reserves amount and fee; captured in two parts. */
  readonly holdId: Uuid;
  readonly amount: bigint;
  readonly fee: bigint;
  /** The sum of its returns, which are children: payout-return-table.ts. */
  readonly amountReturned: bigint;
  /** How many of its returns are booked as steps of the payout itself, as until the contract to 0.3.0 (db/forms.ts). */
  readonly returns: number;
  readonly currency: string;
  /** Name of the rail that carries it, or `book` for a transfer within the book. */
  readonly rail: string;
  readonly destination: Destination;
  readonly description: string | null;
  readonly externalId: string | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  /** Hides description and metadata behind their references (ledger/rows/personal-text.ts); null where it has neither. */
  readonly textSalt: Buffer | null;
  /** The same on every try at the rail; derived from book and Idempotency-Key. */
  readonly endToEndId: string;
  /** `unknown` while nobody can say whether the rail took it. */
  readonly outcome: 'unknown' | null;
  readonly inquiries: number;
  readonly nextInquiryAt: Instant | null;
  /** When it was handed to the rail. */
  readonly sentAt: Instant | null;
  readonly failureCode: FailureCode | null;
  readonly railCode: string | null;
  readonly railReference: string | null;
  readonly entryIds: readonly Uuid[];
  /** The sequence of `payout.created`, which its other events take from (ledger/events/event-form.ts); null where they are whole. */
  readonly firstEvent: bigint | null;
  readonly requestId: Uuid;
  readonly version: number;
  /** When the sweeper enqueues it if nobody has moved it; null once nobody has to. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type PayoutAction = 'cancel';

export type WaitingOn = 'ledger' | 'rail' | 'inquiry' | 'nobody';

/**
 * Who moves next. Of an unknown outcome always the inquiry: also where the rail reported another payment and an exception is open,
 * since a confirmation that matches still settles it, before a person does.
 */
export function waitingOn(payout: Payout): WaitingOn {
  if (payout.status === 'pending') return 'ledger';
  if (payout.status === 'processing') return payout.outcome === 'unknown' ? 'inquiry' : 'rail';
  return 'nobody';
}

/** What may be asked of a payout now. Once on its way, it is not called back. */
export function allowedActions({ status }: Pick<Payout, 'status'>): readonly PayoutAction[] {
  return status === 'pending' ? ['cancel'] : [];
}

export function whyNotNow({ status }: Pick<Payout, 'status'>): string {
  return `The payout is ${status}; only a pending payout can be canceled.`;
}
