/** Renames an own account, archives it while it is empty, or opens it again. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { posted } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance, shownBy } from '../../ledger/resources/resource.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { chartAccountResource } from './chart-account-resource.ts';
import { ownAccounts } from './own-account-table.ts';

export interface UpdateOwnAccount extends Change {
  readonly accountId: Uuid;
  readonly name?: string | undefined;
  readonly status?: 'open' | 'archived' | undefined;
}

/** Where nothing changes, nothing is written or emitted. */
function updateOwnAccount(input: UpdateOwnAccount): Command<Stored | Refusal> {
  const touches = [{ table: accounts, ids: [input.accountId] }];
  const request = { ...input, id: input.accountId, action: 'update', touches };
  return changeOf(chartAccountResource, request, (draft, own): Stored | Refusal => {
    const account = draft.account(own.accountId);
    const status = input.status === undefined ? account.status : input.status === 'archived' ? 'closed' : 'open';
    if (status === 'closed' && posted(account) !== 0n)
      return {
        refused: 'account_not_empty',
        param: '/status',
        facts: { blocked_by: [{ type: 'balance', posted: posted(account), currency: account.currency }] },
      };
    const change = differenceFrom(own, { name: input.name ?? own.name });
    if (change === undefined && status === account.status) return storedView(draft, chartAccountResource, own);
    const before = shownBy(draft, chartAccountResource, own);
    draft.put(accounts, account.id, { ...account, status });
    const moved = advance(draft, chartAccountResource, own, change ?? {}, { event: 'chart_account.updated', before });
    return storedView(draft, chartAccountResource, moved);
  });
}

/** Throws ApiError `state_conflict` for an account of the system or of a customer. */
export const requestOwnAccountUpdate: UseCase<OnceRuntime & { pool: Pool }, Asked & UpdateOwnAccount> = {
  keyFirst: true,
  async prepare({ pool }, input) {
    const { bookId, accountId } = input;
    if (!(await ownAccounts.find(pool, bookId, accountId))) {
      const account = await accounts.find(pool, bookId, accountId);
      if (!account) throw new ApiError('resource_not_found', { param: 'id' });
      throw new ApiError('state_conflict', {
        detail: `${publicId('account', accountId)} is not of your own chart, and is not changed here.`,
        facts: { current_status: account.status, allowed_actions: [] },
      });
    }
    return { command: updateOwnAccount(input) };
  },
};
