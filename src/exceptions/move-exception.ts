/**
 * Moves the money that waits for an exception to a customer account: from another one, such as a closed one that a return reached, at once;
 * from the bank by the approval of another person (target-account.ts).
 */
import type { Stored } from '../idempotency/idempotency-key.ts';
import { storedView } from '../idempotency/stored-view.ts';
import type { Prepared, UseCase } from '../idempotency/use-case.ts';
import { available, posted } from '../ledger/account/account.ts';
import { accounts } from '../ledger/account/account-table.ts';
import type { Command, Refusal } from '../ledger/command/command.ts';
import type { Draft } from '../ledger/command/draft.ts';
import { changeOf } from '../ledger/resources/change-of.ts';
import { advance } from '../ledger/resources/resource.ts';
import type { Uuid } from '../values/ids.ts';
import type { Exception, WaitingMoney } from './exception.ts';
import { exceptionResource } from './exception-resource.ts';
import {
  type ExceptionRuntime,
  findException,
  type HandleException,
  type PersonsRequest,
  requirePerson,
} from './handle-exception.ts';
import { refuseTarget } from './target-account.ts';

export interface MoveException extends HandleException {
  /** The exception as it was read: where its money waits never changes. */
  readonly exception: Exception;
  /** The account that gets it. */
  readonly accountId: Uuid;
}

export function moveException(input: MoveException): Command<Stored | Refusal> {
  const { actor, accountId } = input;
  const from = input.exception.waiting?.accountId;
  const touches = [{ table: accounts, ids: from ? [from, accountId] : [accountId] }];
  const request = { ...input, id: input.exceptionId, action: 'move_to', touches };
  return changeOf(exceptionResource, request, (draft, exception): Stored | Refusal => {
    const waiting = exception.waiting!;
    const refusal = refuseTarget(draft, waiting, accountId);
    if (refusal) return refusal;
    if (waiting.accountId === null) {
      const change = { status: 'adjusted', targetAccountId: accountId, handledBy: actor } as const;
      const adjusted = advance(draft, exceptionResource, exception, change, { event: 'exception.updated' });
      return storedView(draft, exceptionResource, adjusted);
    }
    const amount = whatIsLeft(draft, waiting);
    if (amount === 0n) return refusedBy(draft, waiting, { code: 'insufficient_funds' });
    const entry = draft.tryPost({
      resource: 'exception',
      resourceId: exception.id,
      step: 'moved',
      // The account where it waits is closed, as a rule.
      debitClosed: true,
      allowFrozen: true,
      postings: [{ debit: waiting.accountId, credit: accountId, amount }],
    });
    if ('code' in entry) return refusedBy(draft, waiting, entry);
    const change = { status: 'adjusted', handledBy: actor } as const;
    const step = { event: 'exception.updated', entries: [entry] };
    return storedView(draft, exceptionResource, advance(draft, exceptionResource, exception, change, step));
  });
}

/**
 * All that waited or, where a dispute has taken some of it out of a closed account since, the rest: nothing else is
 * ever in there. Zero where nothing is left, whatever overdraft the account had. In an account in use, the owner of the
 * rest is unknown.
 */
function whatIsLeft(draft: Draft, { accountId, amount }: WaitingMoney): bigint {
  const account = draft.account(accountId!);
  const balance = posted(account);
  if (account.status !== 'closed' || balance >= amount) return amount;
  return balance > 0n ? balance : 0n;
}

function refusedBy(draft: Draft, waiting: WaitingMoney, refusal: { code: Refusal['refused'] }): Refusal {
  if (refusal.code !== 'insufficient_funds') return { refused: refusal.code };
  return {
    refused: 'insufficient_funds',
    detail: 'The account where the money waited has less available by now.',
    facts: { available: available(draft.account(waiting.accountId!)), required: waiting.amount },
  };
}

export const requestMove: UseCase<ExceptionRuntime, PersonsRequest & { readonly accountId: Uuid }> = {
  keyFirst: true,
  async prepare({ pool }, input): Promise<Prepared> {
    const exception = await findException(pool, input);
    requirePerson(input);
    return { command: moveException({ ...input, exception }) };
  },
};
