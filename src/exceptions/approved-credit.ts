/**
 * A credit of a bank that a person of the operator's has given to an account of a customer's book. The approval of another one makes it that
 * account's: the ledger pool books it there, since a command writes one book alone.
 */
import type { Queryable } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { BookId } from '../ledger/book/book.ts';
import type { Touch } from '../ledger/command/command.ts';
import type { Draft } from '../ledger/command/draft.ts';
import { inboundCredits } from '../outside/credits/credit-table.ts';
import { isMatchedAtBank } from '../outside/credits/credited-account-store.ts';
import { allowedActions, type Exception } from './exception.ts';

const RESOURCE = 'inbound_credit';

export function creditTouches({ resource, resourceId }: Pick<Exception, 'resource' | 'resourceId'>): Touch[] {
  return resource === RESOURCE ? [{ table: inboundCredits, ids: [resourceId] }] : [];
}

/** Refused where matches have given the money of its line away, in part too: a match that explains the whole line ends the exception itself. */
export async function requireUnmatched(db: Queryable, bookId: BookId, exception: Exception): Promise<void> {
  if (exception.resource !== RESOURCE) return;
  const credit = await inboundCredits.find(db, bookId, exception.resourceId);
  if (credit?.status !== 'unallocated' || !(await isMatchedAtBank(db, bookId, credit))) return;
  throw new ApiError('state_conflict', {
    detail: 'A match names for what its line of the statement is. Undo the match, or explain the exception.',
    facts: {
      current_status: exception.status,
      allowed_actions: allowedActions(exception).filter((action) => action === 'assign' || action === 'explain'),
    },
  });
}

/** False where the target is an account of the exception's own book. */
export function allocateApproved(draft: Draft, { resource, resourceId, targetAccountId }: Exception): boolean {
  const credit = resource === RESOURCE ? draft.get(inboundCredits, resourceId) : undefined;
  if (credit?.status !== 'unallocated' || credit.accountId !== targetAccountId) return false;
  draft.put(inboundCredits, credit.id, {
    ...credit,
    ...{ status: 'allocated', transferId: draft.mintId(), dueAt: draft.wall, updatedAt: draft.wall },
    version: credit.version + 1,
  });
  draft.enqueue({ pool: 'ledger', job: 'credit.take', id: credit.id });
  return true;
}
