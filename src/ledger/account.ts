/**
 * An account of the ledger: what was posted to it, what is held on it, and how low it may go.
 * Invariants: posted totals are the sums of its postings; held is the sum of its open holds; `lines` counts its posting
 * lines without a gap.
 */
import type { ErrorCode } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import { MAX_TOTAL } from '../money/amount.ts';
import type { AccountCode } from './chart.ts';

/** The side on which the account's balance grows. */
export type Side = 'debit' | 'credit';

export type AccountStatus =
  /** Takes part in everything. */
  | 'open'
  /** Receives, but nothing leaves it. */
  | 'frozen'
  /** Final. Only what comes back from outside is still credited, and flagged. */
  | 'closed';

export interface Account {
  readonly id: Uuid;
  readonly code: AccountCode;
  readonly side: Side;
  readonly currency: string;
  readonly status: AccountStatus;
  readonly postedDebits: bigint;
  readonly postedCredits: bigint;
  readonly heldDebits: bigint;
  readonly heldCredits: bigint;
  /** The least that may be available; null for no limit. */
  readonly floor: bigint | null;
  readonly lines: bigint;
}

/** Posted balance in the account's own direction. */
export function posted(account: Account): bigint {
  return account.side === 'credit'
    ? account.postedCredits - account.postedDebits
    : account.postedDebits - account.postedCredits;
}

/** Reserved for movements that will leave the account. */
export function held(account: Account): bigint {
  return account.side === 'credit' ? account.heldDebits : account.heldCredits;
}

/** What may still leave the account, overdraft not counted. */
export function available(account: Account): bigint {
  return posted(account) - held(account);
}

/** Whether as much may leave: available stays at or above the floor. */
export function covers(account: Account, amount: bigint): boolean {
  return account.floor === null || available(account) - amount >= account.floor;
}

export type Direction = 'debit' | 'credit';

/** Why an account does not take a posting. */
export interface PostingRefusal {
  code: Extract<
    ErrorCode,
    'account_frozen' | 'account_closed' | 'currency_mismatch' | 'insufficient_funds' | 'limit_exceeded'
  >;
  accountId: Uuid;
}

export interface PostingPermissions {
  /** The kind of entry may break the floor (a forced post, a rail that contradicts itself). */
  overrideFloor?: boolean;
  /** What was held on this account leaves it, although a forced entry has taken it below its floor since. */
  heldOn?: Uuid;
  /** What was reserved before the account was frozen still leaves it. */
  allowFrozen?: boolean;
  /** Money that comes back from outside must be booked whatever has become of the account. */
  allowClosed?: boolean;
}

/** The account after one posting line, or why not. Guards in order: currency, state, floor, overflow. */
export function move(
  account: Account,
  line: { direction: Direction; amount: bigint; currency: string },
  permissions: PostingPermissions = {},
): Account | PostingRefusal {
  const leaves = line.direction !== account.side;
  if (account.currency !== line.currency) return { code: 'currency_mismatch', accountId: account.id };
  if (account.status === 'closed' && !permissions.allowClosed) return { code: 'account_closed', accountId: account.id };
  if (account.status === 'frozen' && leaves && !permissions.allowFrozen && !permissions.overrideFloor)
    return { code: 'account_frozen', accountId: account.id };
  if (leaves && !permissions.overrideFloor && permissions.heldOn !== account.id && !covers(account, line.amount))
    return { code: 'insufficient_funds', accountId: account.id };
  const moved =
    line.direction === 'debit'
      ? { ...account, postedDebits: account.postedDebits + line.amount, lines: account.lines + 1n }
      : { ...account, postedCredits: account.postedCredits + line.amount, lines: account.lines + 1n };
  if (moved.postedDebits > MAX_TOTAL || moved.postedCredits > MAX_TOTAL)
    return { code: 'limit_exceeded', accountId: account.id };
  return moved;
}

/** The account with more (or, negative, less) held on the side that leaves it. */
export function withHeld(account: Account, change: bigint): Account {
  return account.side === 'credit'
    ? { ...account, heldDebits: account.heldDebits + change }
    : { ...account, heldCredits: account.heldCredits + change };
}
