/**
 * The status of a customer account: who moves it, by which action, and what prevents closing it. The ledger has the
 * status itself and refuses postings by it (ledger/account/account.ts).
 * Next: account-resource.ts (its steps), change-account.ts (its actions).
 */
import { type Account, type AccountStatus, held, posted } from '../../ledger/account/account.ts';
import { requireTransition, type Transitions } from '../../ledger/resources/resource.ts';

/** `open` and `frozen` are moved by the customer's key or an operator; `closed` is final. */
export const ACCOUNT_TRANSITIONS: Transitions<AccountStatus> = {
  open: ['frozen', 'closed'],
  frozen: ['open', 'closed'],
  closed: [],
};

export type AccountAction = 'freeze' | 'unfreeze' | 'close';

const ACTIONS: Record<AccountStatus, readonly AccountAction[]> = {
  open: ['freeze', 'close'],
  frozen: ['unfreeze', 'close'],
  closed: [],
};

export function allowedActions(status: AccountStatus): readonly AccountAction[] {
  return ACTIONS[status];
}

/** The result of each action. */
export const ACTION_STEPS: Record<AccountAction, { readonly status: AccountStatus; readonly event: string }> = {
  freeze: { status: 'frozen', event: 'account.frozen' },
  unfreeze: { status: 'open', event: 'account.unfrozen' },
  close: { status: 'closed', event: 'account.closed' },
};

/** Throws for a status that cannot follow. */
export function withStatus(account: Account, status: AccountStatus): Account {
  requireTransition({ name: 'account', transitions: ACCOUNT_TRANSITIONS }, account.status, status);
  return { ...account, status };
}

/** What in the ledger prevents closing an account. Groups add more: `ClosingBlocker`. */
export function balancesLeft(account: Account): Record<string, unknown>[] {
  const left: Record<string, unknown>[] = [];
  if (posted(account) !== 0n) left.push({ type: 'balance', posted: posted(account), currency: account.currency });
  if (held(account) !== 0n) left.push({ type: 'holds', held: held(account), currency: account.currency });
  return left;
}
