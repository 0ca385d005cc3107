/** Changes an account's name and references, or its status: freeze, unfreeze, close. */
import type { Stored } from '../idempotency/idempotency-key.ts';
import { storedView } from '../idempotency/stored-view.ts';
import { accounts } from '../ledger/account-table.ts';
import { type Change, changeOf } from '../ledger/change-of.ts';
import type { ClosingBlocker } from '../ledger/closing-blocker.ts';
import type { Command, Refusal } from '../ledger/command.ts';
import type { Draft } from '../ledger/draft.ts';
import { differenceFrom } from '../ledger/events/previous-attributes.ts';
import { indexMetadata } from '../ledger/rows/metadata-store.ts';
import { advance, shownBy } from '../ledger/rows/resource.ts';
import type { Uuid } from '../values/ids.ts';
import type { AccountProfile } from './account-profile.ts';
import { accountResource, accountTouches } from './account-resource.ts';
import { ACTION_STEPS, type AccountAction, balancesLeft, withStatus } from './account-status.ts';

export interface ChangeAccount extends Change {
  readonly accountId: Uuid;
  readonly currency: string;
}

export interface UpdateAccount extends ChangeAccount {
  readonly name?: string;
  readonly externalId?: string | null;
  readonly metadata?: Record<string, string>;
}

/** Changes name, reference or metadata. A field that is left out stays as it is; where all do, nothing is written or told. */
export function updateAccount(input: UpdateAccount): Command<Stored | Refusal> {
  return changeOf(accountResource, { ...requestOf(input), action: 'update' }, (draft, profile) => {
    const change = differenceFrom(profile, {
      name: input.name ?? profile.name,
      externalId: input.externalId === undefined ? profile.externalId : input.externalId,
      metadata: input.metadata ?? profile.metadata,
    });
    if (change === undefined) return storedView(draft, accountResource, profile);
    if (change.metadata) indexMetadata(draft, change.metadata, { object: 'account', objectId: profile.accountId });
    const updated = advance(draft, accountResource, profile, change, { event: 'account.updated' });
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
