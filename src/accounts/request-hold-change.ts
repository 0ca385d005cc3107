/** What a request to change a hold becomes: the hold is read for its account, which never changes. */
import type { Pool } from '../db/pool.ts';
import { ApiError } from '../errors/errors.ts';
import type { OnceRuntime } from '../idempotency/run-once.ts';
import type { Asked, UseCase } from '../idempotency/use-case.ts';
import type { BookId } from '../ledger/book.ts';
import { resourceReference, type Uuid } from '../values/ids.ts';
import type { AccountHold } from './account-hold.ts';
import { type FoundHold, findHold } from './account-hold-store.ts';
import { increaseHold, releaseHold } from './change-hold.ts';

export interface HoldChangeRequest extends Asked {
  readonly accountId: Uuid;
  readonly holdId: Uuid;
  readonly ifMatch?: number | undefined;
}

type HoldUseCase<Input extends HoldChangeRequest> = UseCase<OnceRuntime & { pool: Pool }, Input>;

export const requestHoldRelease: HoldUseCase<HoldChangeRequest & { readonly amount?: bigint | undefined }> = {
  async prepare({ pool }, input) {
    return { command: releaseHold(await requirePlaced(pool, input), { ...changeIn(input), amount: input.amount }) };
  },
};

export const requestHoldIncrease: HoldUseCase<HoldChangeRequest & { readonly amount: bigint }> = {
  async prepare({ pool }, input) {
    return { command: increaseHold(await requirePlaced(pool, input), { ...changeIn(input), amount: input.amount }) };
  },
};

function changeIn({ requestId, actor, ifMatch }: HoldChangeRequest) {
  return { requestId, actor, ...(ifMatch !== undefined && { ifMatch }) };
}

async function requirePlaced(pool: Pool, input: HoldChangeRequest): Promise<AccountHold> {
  const { placed, hold } = await requireHold(pool, input.bookId, input);
  if (!placed) throw madeByResource(hold);
  return placed;
}

/** Throws ApiError `resource_not_found` for a hold of another account too. */
async function requireHold(
  pool: Pool,
  bookId: BookId,
  { holdId, accountId }: { holdId: Uuid; accountId: Uuid },
): Promise<FoundHold> {
  const found = await findHold(pool, bookId, holdId);
  if (found?.hold.accountId !== accountId)
    throw new ApiError('resource_not_found', { param: 'hold', detail: 'This account has no hold with that id.' });
  return found;
}

function madeByResource({ resource, resourceId, status }: FoundHold['hold']): ApiError {
  const reference = resourceReference(resource, resourceId);
  return new ApiError('state_conflict', {
    detail: `The hold belongs to ${resource.replaceAll('_', ' ')} ${reference}, which alone changes it.`,
    facts: { current_status: status, allowed_actions: [] },
  });
}
