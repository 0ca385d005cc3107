/** What a request to release a hold becomes: the hold is read for its account, which never changes. */
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import { resourceReference, type Uuid } from '../ids.ts';
import type { BookId } from '../ledger/book.ts';
import { type FoundHold, findHold } from './account-hold-store.ts';
import { releaseHold } from './release-hold.ts';

export interface ReleaseRequest extends Asked {
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  readonly amount?: bigint | undefined;
  readonly ifMatch?: number | undefined;
}

export const requestHoldRelease: UseCase<OnceRuntime & { pool: Pool }, ReleaseRequest> = {
  async prepare({ pool }, input) {
    const { bookId, holdId, accountId, amount, ifMatch } = input;
    const { placed, hold } = await requireHold(pool, bookId, { holdId, accountId });
    if (!placed) throw madeByResource(hold);
    return { command: releaseHold(placed, { ...input, amount, ...(ifMatch !== undefined && { ifMatch }) }) };
  },
};

/** A hold of another account is none of this one. */
export async function requireHold(
  pool: Pool,
  bookId: BookId,
  { holdId, accountId }: { holdId: Uuid; accountId: Uuid },
): Promise<FoundHold> {
  const found = await findHold(pool, bookId, holdId);
  if (found?.hold.accountId !== accountId) throw new ApiError('resource_not_found', { param: 'hold' });
  return found;
}

function madeByResource({ resource, resourceId, status }: FoundHold['hold']): ApiError {
  const reference = resourceReference(resource, resourceId);
  return new ApiError('state_conflict', {
    detail: `The hold belongs to ${resource.replaceAll('_', ' ')} ${reference}, which alone changes it.`,
    facts: { current_status: status, allowed_actions: [] },
  });
}
