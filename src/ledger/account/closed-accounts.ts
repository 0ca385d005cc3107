/**
 * Entries that move a closed account: what happened outside is booked whatever the account is. Money that an entry leaves there can be
 * moved on by a person alone, so the permission to leave some carries the duty to put it before one.
 */
import type { Uuid } from '../../values/ids.ts';
import { type Account, move, type PostingPermissions, type PostingRefusal, posted } from './account.ts';

/** What an entry left in an account. */
export interface LeftInAccount {
  readonly accountId: Uuid;
  readonly amount: bigint;
  readonly currency: string;
}

export interface ClosedPermissions {
  /** The entry may take money from a closed account. */
  debitClosed?: boolean;
  /** The entry may credit a closed account. The duty: called with what stays there. exceptions/wait-in-closed.ts makes it. */
  creditClosed?: (left: LeftInAccount) => void;
}

/** The account after one line of an entry, or the refusal. */
export function moveBy(
  request: Omit<PostingPermissions, 'allowClosed'> & ClosedPermissions,
  account: Account,
  line: Parameters<typeof move>[1],
): Account | PostingRefusal {
  if (account.status !== 'closed') return move(account, line, request);
  const isCredited = line.direction === account.side;
  const allowClosed = isCredited ? request.creditClosed !== undefined : request.debitClosed === true;
  return move(account, line, { ...request, allowClosed });
}

/** What an entry leaves in closed accounts beyond what they owed. `before`: an account as it was. */
export function leftInClosed(moved: Iterable<Account>, before: (id: Uuid) => Account): LeftInAccount[] {
  const left: LeftInAccount[] = [];
  for (const account of moved) {
    if (account.status !== 'closed') continue;
    const [is, was] = [posted(account), posted(before(account.id))];
    const amount = was > 0n ? is - was : is;
    if (amount > 0n) left.push({ accountId: account.id, amount, currency: account.currency });
  }
  return left;
}
