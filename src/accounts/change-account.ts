/** Changes an account's name and references, or its status: freeze, unfreeze, close. */
import type { Stored } from '../idempotency/idempotency-key.ts';
import { newId, publicId, type Uuid } from '../ids.ts';
import { writeJson } from '../json.ts';
import { type Account, type AccountStatus, held, posted } from '../ledger/account.ts';
import { accounts } from '../ledger/account-table.ts';
import type { Command, Outcome, Refusal, Touch } from '../ledger/command.ts';
import { Draft } from '../ledger/draft.ts';
import { metadataIndex } from '../ledger/metadata-store.ts';
import { personal } from '../ledger/personal-text.ts';
import type { BookState } from '../ledger/state.ts';
import { inFlightPayouts } from '../payouts/in-flight-store.ts';
import { type AccountAction, type AccountProfile, accountView, allowedActions, ownerOf } from './account-profile.ts';
import { accountProfiles, defaultAccounts } from './account-profile-table.ts';

interface ChangeRequest {
  accountId: Uuid;
  currency: string;
  ifMatch?: number;
  requestId: Uuid;
  actor: string;
}

export interface UpdateAccount extends ChangeRequest {
  name?: string;
  externalId?: string | null;
  metadata?: Record<string, string>;
}

/** Changes name, reference or metadata. A field that is left out stays as it is. */
export function updateAccount(input: UpdateAccount): Command<Stored | Refusal> {
  return changeCommand('account.update', input, [], (draft, current) => {
    const profile: AccountProfile = {
      ...current.profile,
      name: input.name ?? current.profile.name,
      externalId: input.externalId === undefined ? current.profile.externalId : input.externalId,
      metadata: input.metadata ?? current.profile.metadata,
    };
    for (const [key, value] of Object.entries(input.metadata ?? {}))
      draft.append(metadataIndex, { object: 'account', key, value, objectId: input.accountId });
    return {
      account: current.account,
      profile,
      event: 'account.updated',
      previous: {
        name: personal(ownerOf(current.profile), 'name', current.profile.name),
        external_id: current.profile.externalId,
        metadata: personal(ownerOf(current.profile), 'metadata', current.profile.metadata),
      },
    };
  });
}

const TARGETS: Record<AccountAction, { status: AccountStatus; event: string }> = {
  freeze: { status: 'frozen', event: 'account.frozen' },
  unfreeze: { status: 'open', event: 'account.unfrozen' },
  close: { status: 'closed', event: 'account.closed' },
};

/** Freezes, unfreezes or closes an account. Closing requires a zero balance, no holds and no payouts in flight. */
export function changeAccountStatus(action: AccountAction, input: ChangeRequest): Command<Stored | Refusal> {
  const blockers: Touch[] = action === 'close' ? [{ table: inFlightPayouts, ids: [input.accountId] }] : [];
  return changeCommand(`account.${action}`, input, blockers, (draft, current) => {
    const { account } = current;
    if (!allowedActions(account.status).includes(action)) {
      return {
        refused: 'state_conflict',
        detail: `The account is ${account.status}.`,
        facts: { current_status: account.status, allowed_actions: allowedActions(account.status) },
      };
    }
    if (action === 'close') {
      const blockedBy = blockersOf(draft, account);
      if (blockedBy.length > 0) return { refused: 'account_not_empty', facts: { blocked_by: blockedBy } };
    }
    const { status, event } = TARGETS[action];
    return { account: { ...account, status }, profile: current.profile, event, previous: { status: account.status } };
  });
}

function blockersOf(draft: Draft, account: Account) {
  const blockers: Record<string, unknown>[] = [];
  if (posted(account) !== 0n) blockers.push({ type: 'balance', posted: posted(account), currency: account.currency });
  if (held(account) !== 0n) blockers.push({ type: 'holds', held: held(account), currency: account.currency });
  const payouts = draft.get(inFlightPayouts, account.id)?.payoutIds ?? [];
  if (payouts.length > 0)
    blockers.push({ type: 'payouts_in_flight', payouts: payouts.map((id) => publicId('payout', id)) });
  return blockers;
}

type Change = { account: Account; profile: AccountProfile; event: string; previous: Record<string, unknown> };

function changeCommand(
  name: string,
  input: ChangeRequest,
  furtherTouches: Touch[],
  change: (draft: Draft, current: { account: Account; profile: AccountProfile }) => Change | Refusal,
): Command<Stored | Refusal> {
  const id = newId();
  return {
    id,
    name,
    requestId: input.requestId,
    actor: input.actor,
    touches: [
      { table: accounts, ids: [input.accountId] },
      { table: accountProfiles, ids: [input.accountId] },
      { table: defaultAccounts, ids: [input.currency] },
      ...furtherTouches,
    ],
    decide(state: BookState, moment): Outcome<Stored | Refusal> {
      const draft = new Draft(state, { id, requestId: input.requestId, actor: input.actor }, moment);
      const account = draft.get(accounts, input.accountId);
      const profile = draft.get(accountProfiles, input.accountId);
      if (!account || !profile) return draft.finish<Refusal>({ refused: 'resource_not_found' });
      if (input.ifMatch !== undefined && input.ifMatch !== profile.version) {
        return draft.finish<Refusal>({
          refused: 'version_mismatch',
          detail: `The account is at version ${profile.version}.`,
          facts: { version: profile.version },
        });
      }
      const result = change(draft, { account, profile });
      if ('refused' in result)
        return new Draft(state, { id, requestId: input.requestId }, moment).finish<Refusal>(result);
      const next: AccountProfile = { ...result.profile, version: profile.version + 1, updatedAt: moment };
      draft.put(accounts, account.id, result.account);
      draft.put(accountProfiles, account.id, next);
      const isDefault = draft.get(defaultAccounts, input.currency)?.accountId === account.id;
      const view = accountView(result.account, next, { livemode: draft.livemode, isDefault });
      draft.emit({
        type: result.event,
        objectId: account.id,
        objectSequence: next.version,
        object: view,
        previousAttributes: result.previous,
      });
      return draft.finish<Stored>({ status: 200, body: writeJson(view), resource: 'account', resourceId: account.id });
    },
  };
}
