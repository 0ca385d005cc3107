/** Increases a hold, and releases it, whole or in part. A hold that is over expires instead, whatever the request. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Refusal, Touch } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { holds } from '../../ledger/hold/hold-table.ts';
import {
  type Change,
  type ChangeRequest,
  changeOf,
  refuseChange,
  stateConflict,
} from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, resourceReference, type Uuid } from '../../values/ids.ts';
import { type AccountHold, HOLD_CHANGES_MAX, type HoldAction, isOver, remainingOf } from './account-hold.ts';
import { accountHoldResource } from './account-hold-resource.ts';
import { type FoundHold, findHold } from './account-hold-store.ts';
import { accountHolds } from './account-hold-table.ts';
import { expireHold } from './expire-holds.ts';
import { refuseAccount, tooLittle } from './place-hold.ts';

export interface ReleaseHold extends Change {
  /** Left out: all that remains. */
  readonly amount?: bigint | undefined;
}

/** Rows of every step of a hold beside its own. */
function holdTouches({ id, accountId }: Pick<AccountHold, 'id' | 'accountId'>): Touch[] {
  return [
    { table: holds, ids: [id] },
    { table: accounts, ids: [accountId] },
  ];
}

export function releaseHold(hold: AccountHold, input: ReleaseHold): Command<Stored | Refusal> {
  return changeOfHold(hold, 'release', input, (draft, current) => {
    const remaining = remainingOf(current);
    const amount = input.amount ?? remaining;
    if (amount > remaining)
      return {
        refused: 'amount_above_maximum',
        param: '/amount',
        detail: `Only ${remaining} of the hold remains.`,
        facts: { limit: remaining },
      };
    if (amount < remaining && hasChangedTooOften(current)) return TOO_MANY_CHANGES;
    const { status } = draft.takeFromHold(current.id, 'released', amount);
    const released = advance(
      draft,
      accountHoldResource,
      current,
      { status, released: current.released + amount, dueAt: status === 'open' ? current.dueAt : null },
      { event: 'hold.released' },
    );
    return storedView(draft, accountHoldResource, released);
  });
}

export interface IncreaseHold extends Change {
  /** The new total. */
  readonly amount: bigint;
}

export function increaseHold(hold: AccountHold, input: IncreaseHold): Command<Stored | Refusal> {
  return changeOfHold(hold, 'increase', input, (draft, current) => {
    const more = input.amount - current.amount;
    if (more <= 0n)
      return {
        refused: 'amount_below_minimum',
        param: '/amount',
        detail: `The hold was made for ${current.amount} already; the new total is more than that.`,
        facts: { limit: current.amount + 1n },
      };
    if (hasChangedTooOften(current)) return TOO_MANY_CHANGES;
    const account = draft.account(current.accountId);
    const refusal = refuseAccount(account);
    if (refusal) return refusal;
    if (!draft.increaseHold(current.id, more)) return tooLittle(account, more);
    const increased = advance(
      draft,
      accountHoldResource,
      current,
      { amount: input.amount },
      { event: 'hold.increased' },
    );
    return storedView(draft, accountHoldResource, increased);
  });
}

const TOO_MANY_CHANGES: Refusal = {
  refused: 'limit_exceeded',
  detail: `A hold is changed at most ${HOLD_CHANGES_MAX} times; release all that remains, and place another.`,
  facts: { limit: HOLD_CHANGES_MAX },
};

/** Each change is a version. */
function hasChangedTooOften({ version }: AccountHold): boolean {
  return version > HOLD_CHANGES_MAX;
}

/** An action on a hold. One that is over expires, and the refusal is the same as after a worker expired it. */
function changeOfHold(
  hold: AccountHold,
  action: HoldAction,
  input: Change,
  decide: (draft: Draft, hold: AccountHold) => Stored | Refusal,
): Command<Stored | Refusal> {
  const commandId = newId();
  const request = { ...input, commandId, id: hold.id, action, touches: holdTouches(hold) };
  const change = changeOf(accountHoldResource, request, decide);
  return {
    ...change,
    decide(state, moment) {
      const draft = new Draft(state, { ...input, id: commandId }, moment);
      const current = draft.get(accountHolds, hold.id);
      if (!current || !isOver(current, moment.book)) return change.decide(state, moment);
      return draft.finish(refuseOver(draft, expireHold(draft, current), request));
    },
  };
}

function refuseOver(draft: Draft, expired: AccountHold, request: ChangeRequest): Refusal {
  return (
    refuseChange(draft, accountHoldResource, expired, request) ??
    stateConflict(draft, accountHoldResource, expired, request.action)
  );
}

/** A request. The hold is read for its account, which never changes. */
interface HoldChangeRequest extends Asked {
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
