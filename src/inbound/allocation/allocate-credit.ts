/**
 * A person of the operator's gives a credit that no account received to a book. Nothing is booked: an exception of that book asks two of its
 * persons for which account the money is. One person is enough, since they decide nothing about an account.
 */

import { ApiError } from '../../errors/errors.ts';
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
import type { BookId, Mode } from '../../ledger/book.ts';
import { loadBook } from '../../ledger/book-store.ts';
import { changeOf, stateConflict } from '../../ledger/change-of.ts';
import type { Command, Refusal } from '../../ledger/command.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { operatorBooks } from '../../organisations/organisation-store.ts';
import { inboundCredits } from '../../outside/credits/credit-table.ts';
import { publicId, type Uuid } from '../../values/ids.ts';
import { type GivenRuntime, openGiven } from '../credits/take-credits.ts';

interface AllocateCredit extends HandleException {
  readonly creditId: Uuid;
  readonly toBookId: BookId;
}

/** Nobody else judges it in this book. */
const APPROVED_BY = 'allocation';

function allocateCredit(input: AllocateCredit): Command<Stored | Refusal> {
  const { actor, creditId, toBookId } = input;
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
      draft.put(inboundCredits, creditId, {
        ...credit,
        ...{ status: 'given', ownerBookId: toBookId, dueAt: draft.wall, updatedAt: draft.wall },
        version: credit.version + 1,
      });
      const reason = `Given to ${publicId('book', toBookId)}.`;
      const ended = endWithoutBooking(draft, exception, { actor, approvedBy: APPROVED_BY, reason, salt });
      return storedView(draft, exceptionResource, ended);
    },
  );
}

export interface AllocationRequest extends PersonsRequest {
  readonly mode: Mode;
  readonly toBookId: Uuid;
}

export const requestAllocation: UseCase<ExceptionRuntime & GivenRuntime, AllocationRequest> = {
  keyFirst: true,
  async prepare(runtime, input): Promise<Prepared> {
    const { pool } = runtime;
    const { bookId, mode, toBookId } = input;
    const exception = await findException(pool, input);
    requirePerson(input);
    const [to, own] = await Promise.all([loadBook(pool, toBookId), operatorBooks(pool)]);
    if (to?.mode !== mode || toBookId === own[mode])
      throw new ApiError('resource_not_found', {
        param: '/book',
        detail: 'There is no such book of a customer in this mode.',
      });
    const creditId = exception.resourceId;
    return {
      command: allocateCredit({ ...input, creditId, toBookId }),
      follow: async () => openGiven(runtime, bookId, creditId),
    };
  },
};
