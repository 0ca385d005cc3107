/**
 * Money at the bank that no book has yet: one person names the account that it goes to, and the approval of another books it, pool → account.
 */
import { accounts } from '../ledger/account/account-table.ts';
import { chartAccountId } from '../ledger/account/chart.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Refusal, Touch } from '../ledger/command/command.ts';
import type { Draft } from '../ledger/command/draft.ts';
import type { Entry } from '../ledger/entry/entry.ts';
import type { Uuid } from '../values/ids.ts';
import type { Exception, WaitingMoney } from './exception.ts';

const PARAM = '/account';

/** Why money does not go to this account. */
export function refuseTarget(draft: Draft, waiting: WaitingMoney, accountId: Uuid): Refusal | undefined {
  const target = draft.get(accounts, accountId);
  if (target?.code !== 'customer') return { refused: 'resource_not_found', param: PARAM };
  if (target.id === waiting.accountId)
    return { refused: 'destination_invalid', param: PARAM, detail: 'The money waits in this account.' };
  if (target.currency !== waiting.currency)
    return {
      refused: 'currency_mismatch',
      param: PARAM,
      detail: `The account is kept in ${target.currency}.`,
      facts: { account_currency: target.currency },
    };
  if (target.status === 'closed') return { refused: 'account_closed', param: PARAM };
  return undefined;
}

/** Where money at the bank is to go. */
export interface Target {
  readonly bookId: BookId;
  readonly accountId: Uuid;
  readonly currency: string;
}

export function targetOf(bookId: BookId, { waiting, targetAccountId }: Exception): Target | undefined {
  if (waiting === null || targetAccountId === null) return undefined;
  return { bookId, accountId: targetAccountId, currency: waiting.currency };
}

/** What `bookTarget` reads. */
export function targetTouches({ bookId, accountId, currency }: Target): Touch[] {
  return [{ table: accounts, ids: [accountId, chartAccountId(bookId, 'pool', currency)] }];
}

/** Pool → target. The account may have been closed since it was named. */
export function bookTarget(draft: Draft, { id, waiting, targetAccountId }: Exception): Entry | Refusal {
  const refusal = refuseTarget(draft, waiting!, targetAccountId!);
  if (refusal) return { ...refusal, param: undefined };
  const { amount, currency } = waiting!;
  const entry = draft.tryPost({
    resource: 'exception',
    resourceId: id,
    step: 'moved',
    allowFrozen: true,
    postings: [{ debit: draft.chart('pool', currency).id, credit: targetAccountId!, amount }],
  });
  return 'code' in entry ? { refused: entry.code } : entry;
}
