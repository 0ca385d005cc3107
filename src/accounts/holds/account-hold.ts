/**
 * A hold on an account that the API placed: an amount set aside for a time, for a purpose that its holder knows. The
 * ledger's hold of the same id reserves it. Its steps: place-hold.ts, change-hold.ts, expire-holds.ts.
 * Invariant: while it is open, its amount less what was captured and released is held on the account.
 */

import type { HoldStatus } from '../../ledger/hold/hold.ts';
import type { Transitions } from '../../ledger/resources/resource.ts';
import { shownTexts } from '../../ledger/rows/personal-text.ts';
import { currencyExponent } from '../../money/currency.ts';
import { formatInstant, formatInstantOrNull, type Instant } from '../../values/clock.ts';
import { publicId, type Uuid } from '../../values/ids.ts';

export interface AccountHold {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly currency: string;
  readonly status: HoldStatus;
  readonly amount: bigint;
  readonly captured: bigint;
  readonly released: bigint;
  /** In the book's own time. Null: it stays until it is released. */
  readonly expiresAt: Instant | null;
  readonly description: string | null;
  readonly externalId: string | null;
  /** Null once it is erased. */
  readonly metadata: Record<string, string> | null;
  /** Hides description and metadata behind their references (ledger/rows/personal-text.ts); null without any. */
  readonly textSalt: Buffer | null;
  readonly entryIds: readonly Uuid[];
  readonly requestId: Uuid;
  readonly version: number;
  /** When it expires, in wall time: for the sweeper. Null once it needs no move. */
  readonly dueAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Most increases and partial releases of one hold: far more than any use has, and few enough to be read at once. */
export const HOLD_CHANGES_MAX = 10_000;

export const HOLD_TRANSITIONS: Transitions<HoldStatus> = {
  open: ['captured', 'released', 'expired'],
  captured: [],
  released: [],
  expired: [],
};

export type HoldAction = 'increase' | 'release';

export function allowedActions({ status }: Pick<AccountHold, 'status'>): readonly HoldAction[] {
  return status === 'open' ? ['increase', 'release'] : [];
}

/** The amount still set aside. The remainder of an expired hold is the account's again. */
export function remainingOf({ status, amount, captured, released }: AccountHold): bigint {
  return status === 'open' ? amount - captured - released : 0n;
}

/** Whether it is over, by the book's own time. Decided whenever a hold is used, whether or not it was enqueued. */
export function isOver({ status, expiresAt }: AccountHold, now: Instant): boolean {
  return status === 'open' && expiresAt !== null && expiresAt <= now;
}

export function accountHoldView(hold: AccountHold, livemode: boolean) {
  return {
    id: publicId('hold', hold.id),
    object: 'hold',
    livemode,
    status: hold.status,
    account: publicId('account', hold.accountId),
    amount: hold.amount,
    remaining: remainingOf(hold),
    captured: hold.captured,
    released: hold.released,
    currency: hold.currency,
    currency_exponent: currencyExponent(hold.currency),
    origin: null,
    expires_at: formatInstantOrNull(hold.expiresAt),
    ...shownTexts('hold', hold),
    external_id: hold.externalId,
    journal_entries: hold.entryIds.map((id) => publicId('entry', id)),
    allowed_actions: allowedActions(hold),
    request_id: publicId('request', hold.requestId),
    version: hold.version,
    created_at: formatInstant(hold.createdAt),
    updated_at: formatInstant(hold.updatedAt),
  };
}
