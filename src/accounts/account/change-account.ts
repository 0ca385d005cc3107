/** Changes an account's name and references, or its status: freeze, unfreeze, close. */
import type { Pool } from '../../db/pool.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { OnceRuntime } from '../../idempotency/run-once.ts';
import { storedView } from '../../idempotency/stored-view.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { ClosingBlocker } from '../../ledger/command/closing-blocker.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { advance, shownBy } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ScheduleName } from '../statements/schedule.ts';
import { statementSchedules } from '../statements/schedule-table.ts';
import type { AccountProfile } from './account-profile.ts';
import { accountResource, accountTouches } from './account-resource.ts';
import { ACTION_STEPS, type AccountAction, balancesLeft, withStatus } from './account-status.ts';
import { scheduleStatements } from './change-schedule.ts';
import { findCustomerAccount } from './customer-account-store.ts';

export interface ChangeAccount extends Change {
  readonly accountId: Uuid;
  readonly currency: string;
}

export interface UpdateAccount extends ChangeAccount {
  readonly name?: string;
  /** An event shows when the available balance falls below it; null: none. */
  readonly alertBelow?: bigint | null | undefined;
  /** Null: no statements are made by themselves any more. */
  readonly statementSchedule?: ScheduleName | null | undefined;
  readonly externalId?: string | null;
  readonly metadata?: Record<string, string>;
}

/**
 * Changes name, reference, metadata, the alert of a low balance or the schedule of statements. A field that is left out stays unchanged; where nothing changes, nothing is
 * written or emitted.
 */
export function updateAccount(input: UpdateAccount): Command<Stored | Refusal> {
  const request = requestOf(input);
  const touches = [...request.touches, { table: statementSchedules, ids: [input.accountId] }];
  return changeOf(accountResource, { ...request, touches, action: 'update' }, (draft, profile) => {
    const change = differenceFrom(profile, {
      name: input.name ?? profile.name,
      externalId: input.externalId === undefined ? profile.externalId : input.externalId,
      metadata: input.metadata ?? profile.metadata,
      statementSchedule: input.statementSchedule === undefined ? profile.statementSchedule : input.statementSchedule,
    });
    const account = draft.account(profile.accountId);
    const { alertBelow = account.alertBelow } = input;
    if (change === undefined && alertBelow === account.alertBelow) return storedView(draft, accountResource, profile);
    const before = shownBy(draft, accountResource, profile);
    if (alertBelow !== account.alertBelow) draft.put(accounts, account.id, { ...account, alertBelow });
    if (change?.statementSchedule !== undefined)
      scheduleStatements(draft, draft.get(statementSchedules, profile.accountId), { ...profile, ...change });
    if (change?.metadata) indexMetadata(draft, change.metadata, { object: 'account', objectId: profile.accountId });
    const updated = advance(draft, accountResource, profile, change ?? {}, { event: 'account.updated', before });
    return storedView(draft, accountResource, updated);
  });
}

/** Freezes, unfreezes or closes an account. `blockers` are those of all groups. */
export function changeAccountStatus(
  action: AccountAction,
  input: ChangeAccount,
  blockers: readonly ClosingBlocker[],
): Command<Stored | Refusal> {
  if (action === 'close') return closeAccount(input, blockers);
  return changeOf(accountResource, { ...requestOf(input), action }, (draft, profile) =>
    moveAccount(draft, profile, action),
  );
}

/** Closes an account that is empty, without holds, and that no blocker keeps open. */
function closeAccount(input: ChangeAccount, blockers: readonly ClosingBlocker[]): Command<Stored | Refusal> {
  const request = requestOf(input);
  const touches = [...request.touches, ...blockers.flatMap((blocker) => blocker.touches(input.accountId))];
  return changeOf(accountResource, { ...request, touches, action: 'close' }, (draft, profile): Stored | Refusal => {
    const blockedBy = balancesLeft(draft.account(profile.accountId));
    for (const blocker of blockers) {
      const found = blocker.find(draft, profile.accountId);
      if (found) blockedBy.push(found);
    }
    if (blockedBy.length > 0) return { refused: 'account_not_empty', facts: { blocked_by: blockedBy } };
    return moveAccount(draft, profile, 'close');
  });
}

function requestOf({ accountId, currency, requestId, actor, ifMatch }: ChangeAccount) {
  return { id: accountId, touches: accountTouches({ accountId, currency }), requestId, actor, ifMatch };
}

function moveAccount(draft: Draft, profile: AccountProfile, action: AccountAction): Stored {
  const { status, event } = ACTION_STEPS[action];
  const account = draft.account(profile.accountId);
  const before = shownBy(draft, accountResource, profile);
  draft.put(accounts, account.id, withStatus(account, status));
  const moved = advance(draft, accountResource, profile, {}, { event, before });
  return storedView(draft, accountResource, moved);
}

/** What requests need. The account is read for its currency, which never changes; the command decides the rest. */
interface AccountRuntime extends OnceRuntime {
  pool: Pool;
  /** What keeps an account open, of every group. */
  readonly blocksClosing: readonly ClosingBlocker[];
}

type AccountUpdateRequest = Asked & Omit<UpdateAccount, 'currency'>;

export const requestAccountUpdate: UseCase<AccountRuntime, AccountUpdateRequest> = {
  async prepare({ pool }, input) {
    return { command: updateAccount({ ...input, currency: await currencyOf(pool, input) }) };
  },
};

interface AccountActionRequest extends Asked {
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
