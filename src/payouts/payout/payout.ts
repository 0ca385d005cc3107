/**
 * A payout: money that leaves an account for a destination, over a rail or within the book.
 * Invariant: from its release to its end, amount and fee are out of the account's available balance: held while
 * `pending`, then the amount posted to transit and the fee still held. One that waits for an approval or for its time holds nothing.
 * Next: approval.ts (who approves it), payout-table.ts (its rows), payout-steps.ts (its journal), accept-payout.ts, reserve-payout.ts, apply-rail-report.ts.
 */

import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { Destination } from '../destinations/destination.ts';
import type { PinnedPayee } from '../payees/payee.ts';
import type { PayoutApproval } from './approval.ts';

export type PayoutStatus =
  /** People have to approve it; nothing is held. The API moves it. */
  | 'requires_approval'
  /** Released at its time in the book's own time; nothing is held. The ledger pool moves it. */
  | 'scheduled'
  /** Accepted, funds held, nothing posted. The API creates it, the ledger pool moves it. */
  | 'pending'
  /** A person has rejected it. Final. */
  | 'rejected'
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
  requires_approval: ['scheduled', 'pending', 'rejected', 'canceled'],
  scheduled: ['requires_approval', 'pending', 'failed', 'canceled'],
  pending: ['processing', 'failed', 'canceled'],
  processing: ['paid', 'failed'],
  paid: ['returned'],
  failed: ['paid'],
  rejected: [],
  canceled: [],
  returned: [],
};

/** Why a payout failed, in the API's words; the rail's own code stands beside it. */
export type FailureCode =
  | 'payee_account_closed'
  | 'payee_account_blocked'
  | 'payee_account_invalid'
  /** Another destination than the one that was resolved or approved. */
  | 'payee_changed'
  | 'alias_unregistered'
  | 'payee_name_mismatch'
  | 'payee_bank_unavailable'
  | 'amount_exceeds_rail_limit'
  | 'rail_suspended'
  | 'refused_by_payee'
  | 'compliance_rejected'
  | 'source_account_frozen'
  | 'source_account_closed'
  | 'insufficient_funds'
  | 'limit_exceeded'
  /** No rail carries it any more, as it is released. */
  | 'rail_unavailable';

export interface Payout {
  readonly id: Uuid;
  readonly status: PayoutStatus;
  /** The account the money leaves. */
  readonly accountId: Uuid;
  /** The hold that reserves amount and fee, captured in two parts. It does not exist while the payout is `unheld`. */
  readonly holdId: Uuid;
  /** Nothing is held for it: before its release, and for good where it ended before. */
  readonly unheld: boolean;
  readonly amount: bigint;
  readonly fee: bigint;
  /** The sum of its returns, which are children: payout-return-table.ts. */
  readonly amountReturned: bigint;
  /** How many of its returns are booked as steps of the payout itself, as all were before returns had entries of their own. */
  readonly returns: number;
  readonly currency: string;
  /** Name of the rail that carries it, or `book` for a transfer within the book. Its release finds it again. */
  readonly rail: string;
  readonly destination: Destination;
  /** The payee that it was made for, and which of its destinations; null where it names none. */
  readonly payee: PinnedPayee | null;
  readonly description: string | null;
  /** The text that travels with the money. Null: the description does, where it fits whole. */
  readonly remittance: string | null;
  /** The purpose, by the list of the rail or of the authority. */
  readonly purposeCode: string | null;
  /** Null where it needs no approval. */
  readonly approval: PayoutApproval | null;
  /** In the book's own time; null where it is released at once. */
  readonly scheduledFor: Instant | null;
  /** Why a person rejected it. */
  readonly reason: string | null;
  readonly externalId: string | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  /** Hides description and metadata behind their references (ledger/rows/personal-text.ts); null where it has neither. */
  readonly textSalt: Buffer | null;
  /** The same on every try at the rail; derived from book and Idempotency-Key. */
  readonly endToEndId: string;
  /** `unknown` while it is not certain whether the rail took it. */
  readonly outcome: 'unknown' | null;
  readonly inquiries: number;
  readonly nextInquiryAt: Instant | null;
  /** When it was handed to the rail. */
  readonly sentAt: Instant | null;
  readonly failureCode: FailureCode | null;
  readonly railCode: string | null;
  readonly railReference: string | null;
  /** The digest of the settings under which it was made (docs/rails.md), in hexadecimal digits; null without any. */
  readonly configuration: string | null;
  /** When the payee should have the money: set anew by its release. Null in rows of earlier versions: at `createdAt`. */
  readonly expectedArrival: Instant | null;
  /** The day on which it counts against limits, YYYY-MM-DD in the time zone of the book; null where nothing limits it, or nothing is held yet. */
  readonly countedOn: string | null;
  readonly entryIds: readonly Uuid[];
  /** The batch that it was an item of; null for a single payout. */
  readonly batchId: Uuid | null;
  /** The sequence of `payout.created`, which its other events take from (ledger/events/event-form.ts); null where they are whole. */
  readonly firstEvent: bigint | null;
  /** The form of that event; null without one, and where a release that had form 1 alone began the payout: later events are whole. */
  readonly firstForm: number | null;
  readonly requestId: Uuid;
  readonly version: number;
  /** Since when an operator's pause keeps it back, as workers found it. Every step clears it. */
  readonly pausedAt: Instant | null;
  /** When the sweeper enqueues it if nobody has moved it; null once nobody has to. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export type PayoutAction = 'cancel' | 'approve' | 'reject';

export const WAITING_ON = ['approver', 'schedule', 'ledger', 'rail', 'inquiry', 'paused', 'nobody'] as const;

export type WaitingOn = (typeof WAITING_ON)[number];

/**
 * Who moves next. Of an unknown outcome always the inquiry: also where the rail reported another payment and an
 * exception is open, since a confirmation that matches still ends it, before a person does.
 */
export function waitingOn(payout: Payout): WaitingOn {
  switch (payout.status) {
    case 'requires_approval':
      return 'approver';
    case 'scheduled':
      return 'schedule';
    case 'pending':
      return payout.pausedAt === null ? 'ledger' : 'paused';
    case 'processing':
      if (payout.pausedAt !== null) return 'paused';
      return payout.outcome === 'unknown' ? 'inquiry' : 'rail';
    default:
      return 'nobody';
  }
}

const NO_ACTIONS: readonly PayoutAction[] = [];
const CANCEL: readonly PayoutAction[] = ['cancel'];
const JUDGE: readonly PayoutAction[] = ['cancel', 'approve', 'reject'];

/** What may be asked of a payout now. Once on its way, it is not called back. */
export function allowedActions({ status }: Pick<Payout, 'status'>): readonly PayoutAction[] {
  if (status === 'requires_approval') return JUDGE;
  return status === 'pending' || status === 'scheduled' ? CANCEL : NO_ACTIONS;
}

export function whyNotNow({ status }: Pick<Payout, 'status'>, action: string): string {
  if (action === 'cancel') return `The payout is ${status}; it can be canceled until it is on its way.`;
  return `The payout is ${status} and waits for no approval.`;
}

/** The most of a text that travels with the money. */
export const REMITTANCE_MAX = 140;

/** As a remittance: the description has changed since the release, and the one before it did not travel. */
export const NOTHING_TRAVELS = '';

/** A description where it travels, whole or not at all. */
export function travellingText(description: string | null): string | null {
  return description !== null && [...description].length <= REMITTANCE_MAX ? description : null;
}

/** Before its release nothing is held, and what travels with the money may still change. */
export function isReleased({ status }: Pick<Payout, 'status'>): boolean {
  return status !== 'requires_approval' && status !== 'scheduled';
}

/** What is done with a payout of a batch waits behind other commands of its book. */
export function behindOthers({ batchId }: Pick<Payout, 'batchId'>): { readonly behind?: number } {
  return batchId === null ? {} : { behind: 1 };
}
