/**
 * A person of the operator's gives a credit that no account received to a book. Nothing is booked: an exception of that book asks two of its
 * persons for which account the money is. One person is enough, since they decide nothing about an account. One who names an account too
 * decides that: nothing happens until another person of the operator's approves it (exceptions/approved-credit.ts).
 */

import { accountProfiles } from '../../accounts/account/account-profile-table.ts';
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import { requireUnmatched } from '../../exceptions/approved-credit.ts';
import { allowedActions, type Exception } from '../../exceptions/exception.ts';
import { exceptionResource } from '../../exceptions/exception-resource.ts';
import {
  type ExceptionRuntime,
  endWithoutBooking,
  findException,
  type HandleException,
  type PersonsRequest,
  requirePerson,
} from '../../exceptions/handle-exception.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Prepared, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId, Mode } from '../../ledger/book/book.ts';
import { loadBook } from '../../ledger/book/book-store.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { changeOf, stateConflict } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { findInBooks } from '../../outside/credits/credit-store.ts';
import { inboundCredits } from '../../outside/credits/credit-table.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { type GivenRuntime, openGiven } from '../credits/take-credits.ts';

interface AllocateCredit extends HandleException {
  readonly creditId: Uuid;
  readonly toBookId: BookId;
  readonly toAccountId: Uuid | undefined;
}

/** Nobody else judges it in this book. */
const APPROVED_BY = 'allocation';

function allocateCredit(input: AllocateCredit): Command<Stored | Refusal> {
  const { actor, creditId, toBookId, toAccountId } = input;
  const salt = newSalt();
  const touches = [{ table: inboundCredits, ids: [creditId] }];
  return changeOf(
    exceptionResource,
    { ...input, id: input.exceptionId, action: 'allocate', touches },
    (draft, exception): Stored | Refusal => {
      const credit = draft.get(inboundCredits, creditId);
      // One that was given to this book is not given on.
      if (credit === undefined || credit.status !== 'unallocated')
        return stateConflict(draft, exceptionResource, exception, 'allocate');
      const version = credit.version + 1;
      const changed = { ...credit, ownerBookId: toBookId, version, updatedAt: draft.wall };
      if (toAccountId !== undefined) {
        draft.put(inboundCredits, creditId, { ...changed, accountId: toAccountId });
        const reason = `Allocated to ${publicId('book', toBookId)} / ${publicId('account', toAccountId)}.`;
        const target = { targetAccountId: toAccountId, targetBookId: toBookId };
        const text = { reason, textSalt: exception.textSalt ?? salt };
        const change = { status: 'adjusted', ...target, ...text, handledBy: actor } as const;
        const adjusted = advance(draft, exceptionResource, exception, change, { event: 'exception.updated' });
        return storedView(draft, exceptionResource, adjusted);
      }
      draft.put(inboundCredits, creditId, { ...changed, accountId: null, status: 'given', dueAt: draft.wall });
      const reason = `Given to ${publicId('book', toBookId)}.`;
      const ended = endWithoutBooking(draft, exception, { actor, approvedBy: APPROVED_BY, reason, salt });
      return storedView(draft, exceptionResource, ended);
    },
  );
}

export interface AllocationRequest extends PersonsRequest {
  readonly mode: Mode;
  readonly toBookId: Uuid;
  readonly toAccountId?: Uuid | undefined;
}

export const requestAllocation: UseCase<ExceptionRuntime & GivenRuntime, AllocationRequest> = {
  keyFirst: true,
  async prepare(runtime, input): Promise<Prepared> {
    const { pool } = runtime;
    const { bookId, mode, toBookId, toAccountId } = input;
    const exception = await findException(pool, input);
    requirePerson(input);
    const [to, own] = await Promise.all([loadBook(pool, toBookId), operatorBooks(pool)]);
    if (to?.mode !== mode || toBookId === own[mode])
      throw new ApiError('resource_not_found', {
        param: '/book',
        detail: 'There is no such book of a customer in this mode.',
      });
    await requireUnmatched(pool, bookId, exception);
    const creditId = exception.resourceId;
    if (toAccountId !== undefined) {
      await requireAccount(pool, { toBookId, toAccountId, exception });
      await requireNotThere(pool, bookId, { toAccountId, exception });
    }
    return {
      command: allocateCredit({ ...input, creditId, toBookId, toAccountId }),
      follow: async () => openGiven(runtime, bookId, creditId),
    };
  },
};

/** As it is now: once it is approved, its book decides (credits/take-credits.ts). */
async function requireAccount(
  pool: Pool,
  { toBookId, toAccountId, exception }: { toBookId: BookId; toAccountId: Uuid; exception: Exception },
): Promise<void> {
  const account = await accounts.find(pool, toBookId, toAccountId);
  if (account?.code !== 'customer' || !(await accountProfiles.find(pool, toBookId, toAccountId)))
    throw new ApiError('resource_not_found', { param: ACCOUNT, detail: 'There is no such account in this book.' });
  const { currency, status } = account;
  if (currency !== exception.waiting?.currency)
    throw new ApiError('currency_mismatch', {
      param: ACCOUNT,
      detail: `The account is kept in ${currency}.`,
      facts: { account_currency: currency },
    });
  if (status === 'closed') throw new ApiError('account_closed', { param: ACCOUNT });
}

/** What no reference of the bank names may be what the account has received by the line of the statement. */
async function requireNotThere(
  pool: Pool,
  bookId: BookId,
  { toAccountId, exception }: { toAccountId: Uuid; exception: Exception },
): Promise<void> {
  const credit = await inboundCredits.find(pool, bookId, exception.resourceId);
  if (credit === undefined || credit.bankReference !== null) return;
  const there = await findInBooks(pool, bookId, credit, { named: true, accountId: toAccountId });
  if (there === undefined) return;
  throw new ApiError('state_conflict', {
    param: ACCOUNT,
    detail: `The account has a credit of this amount, which the bank reported as ${there.bankReference}: it may be the same money. Explain the exception if it is; else give the credit to the book, whose persons decide.`,
    facts: { current_status: exception.status, allowed_actions: allowedActions(exception) },
  });
}

const ACCOUNT = '/account';
