/** What a request to change an account becomes: its account is read for what of it never changes, the command decides the rest. */
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import type { ClosingBlocker } from '../ledger/closing-blocker.ts';
import type { AccountAction } from './account-status.ts';
import { changeAccountStatus, type UpdateAccount, updateAccount } from './change-account.ts';
import { findCustomerAccount } from './customer-account-store.ts';

export interface AccountRuntime extends OnceRuntime {
  pool: Pool;
  /** What keeps an account open, of every group. */
  readonly blocksClosing: readonly ClosingBlocker[];
}

export type AccountUpdateRequest = Asked & Omit<UpdateAccount, 'currency'>;

export const requestAccountUpdate: UseCase<AccountRuntime, AccountUpdateRequest> = {
  async prepare({ pool }, input) {
    return { command: updateAccount({ ...input, currency: await currencyOf(pool, input) }) };
  },
};

export interface AccountActionRequest extends Asked {
  readonly accountId: string;
  readonly action: AccountAction;
  readonly ifMatch?: number;
}

export const requestAccountAction: UseCase<AccountRuntime, AccountActionRequest> = {
  async prepare({ pool, blocksClosing }, input) {
    const change = { ...input, currency: await currencyOf(pool, input) };
    return { command: changeAccountStatus(input.action, change, blocksClosing) };
  },
};

async function currencyOf(pool: Pool, { bookId, accountId }: { bookId: string; accountId: string }): Promise<string> {
  const found = await findCustomerAccount(pool, bookId, accountId);
  if (!found) throw new ApiError('resource_not_found', { param: 'id' });
  return found.account.currency;
}
