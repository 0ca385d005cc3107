/**
 * An account of the ledger: its posted totals, its held totals and its floor.
 * Invariants: posted totals are the sums of the account's postings; held totals are the sums of its open holds; `lines`
 * counts its posting lines without a gap.
 */
import type { ErrorCode } from '../../errors/errors.ts';
import { MAX_TOTAL } from '../../money/amount.ts';
import type { Uuid } from '../../values/ids.ts';
import type { AccountCode } from './account-code.ts';

/** The side on which the account's balance grows. */
export type Side = 'debit' | 'credit';

export type AccountStatus =
  /** Sends and receives. */
  | 'open'
  /** Receives. Only amounts reserved before the freeze, and forced entries, still leave the account. */
  | 'frozen'
  /** Final. Only returned money, and entries after a rail contradicted itself, are still booked. */
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
  /** The least available balance allowed, in minor units; null for no limit. */
  readonly floor: bigint | null;
  readonly lines: bigint;
  /** An event shows when the available balance falls below it; null for none. */
  readonly alertBelow: bigint | null;
}

/** The posted balance, counted on the account's own side. */
export function posted(account: Account): bigint {
  return account.side === 'credit'
    ? account.postedCredits - account.postedDebits
    : account.postedDebits - account.postedCredits;
}

/** The amount reserved for movements that leave the account. */
export function held(account: Account): bigint {
  return account.side === 'credit' ? account.heldDebits : account.heldCredits;
}

/** The amount that may still leave the account, overdraft not counted. */
export function available(account: Account): bigint {
  return posted(account) - held(account);
}

/** Whether the amount may leave: the available balance stays at or above the floor. */
export function covers(account: Account, amount: bigint): boolean {
  return account.floor === null || available(account) - amount >= account.floor;
}

export type Direction = 'debit' | 'credit';

/** Why an account refuses a posting. */
export interface PostingRefusal {
  code: Extract<
    ErrorCode,
    'account_frozen' | 'account_closed' | 'currency_mismatch' | 'insufficient_funds' | 'limit_exceeded'
  >;
  accountId: Uuid;
  /** Of an entry's postings, the one that is refused: its place in the list, from 0. */
  posting?: number;
}

export interface PostingPermissions {
  /** This kind of entry may break the floor (a forced post, a rail that contradicts itself). */
  overrideFloor?: boolean;
  /** The posting takes an amount that was held on this account, even if a forced entry has taken it below its floor since. */
  heldOn?: Uuid;
  /** The posting takes an amount that was reserved before the freeze. */
  allowFrozen?: boolean;
  /** The account is moved although it is closed. */
  allowClosed?: boolean;
}

/** The account after one posting line, or the refusal. Guards in order: currency, status, floor, overflow. */
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

/** The account with more (with a negative change, less) held on the side that amounts leave by. */
export function withHeld(account: Account, change: bigint): Account {
  return account.side === 'credit'
    ? { ...account, heldDebits: account.heldDebits + change }
    : { ...account, heldCredits: account.heldCredits + change };
}
