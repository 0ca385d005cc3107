/**
 * Money that reaches an account after it was closed: a refund that fails late, a release, a dispute that is won, a
 * returned payout. It stays there, and an exception puts it before people: `move_to` moves it on. The only maker of the
 * permission to credit a closed account (ledger/account/closed-accounts.ts), so that no entry leaves money there that nobody
 * sees.
 */
import { type Account, posted } from '../ledger/account/account.ts';
import type { ClosedPermissions } from '../ledger/account/closed-accounts.ts';
import type { Draft } from '../ledger/command/draft.ts';
import { type OpenException, openException } from './open-exception.ts';

/** For an entry of `about`: where the account is closed, an exception of this kind waits with the amount of the entry. */
export function waitInClosed(
  draft: Draft,
  about: Pick<OpenException, 'kind' | 'resource' | 'resourceId' | 'detail'>,
): NonNullable<ClosedPermissions['creditClosed']> {
  return (waiting) => openException(draft, { id: draft.mintId(), ...about, waiting });
}

/** Whether a credit that an entry has just made to the account opened an exception. */
export function isLeftInClosed(account: Account): boolean {
  return account.status === 'closed' && posted(account) > 0n;
}
