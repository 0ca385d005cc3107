/**
 * Commands of the ledger's holds, through the whole of their life. They are the test's own: nothing in the product captures a
 * hold that the API placed (src/accounts/holds/place-hold.ts, parts/account-holds).
 */

import { accounts } from '../../../../src/ledger/account/account-table.ts';
import type { Command, Refusal, Touch } from '../../../../src/ledger/command/command.ts';
import type { Draft } from '../../../../src/ledger/command/draft.ts';
import type { Hold, HoldStepKind } from '../../../../src/ledger/hold/hold.ts';
import { holds } from '../../../../src/ledger/hold/hold-table.ts';
import { newId, type Uuid } from '../../../../src/values/ids.ts';
import { type Answer, command, stored, touchAccounts } from '../../test-command.ts';

/** The event that only these commands emit. */
export const HOLD_EVENTS = ['hold.captured'];

const touchHold = (id: Uuid): Touch => ({ table: holds, ids: [id] });

export function placeHold(input: { accountId: Uuid; amount: bigint; expiresAt: number | null }): Command<Answer> {
  const holdId = newId();
  return command('hold', [touchAccounts(input.accountId)], (begin) => {
    const draft = begin();
    const account = draft.get(accounts, input.accountId);
    if (!account) return draft.finish({ refused: 'resource_not_found' });
    if (account.status !== 'open') return draft.finish({ refused: `account_${account.status}` });
    const { accountId, amount } = input;
    const expiresAt = input.expiresAt ?? undefined;
    const hold = draft.placeHold({ id: holdId, accountId, resource: 'hold', resourceId: holdId, amount, expiresAt });
    if (!hold) return draft.finish({ refused: 'insufficient_funds' });
    tell(draft, hold, 'created');
    return draft.finish(stored(201, 'hold', holdId));
  });
}

export function captureHold(input: { holdId: Uuid; accountId: Uuid; to: Uuid; amount: bigint }): Command<Answer> {
  const { holdId, accountId, to, amount } = input;
  return command('capture', [touchHold(holdId), touchAccounts(accountId, to)], (begin) => {
    const draft = begin();
    const hold = draft.get(holds, holdId);
    const refusal = whyNot(draft, hold);
    if (refusal || !hold) return draft.finish(refusal ?? { refused: 'resource_not_found' });
    if (!draft.get(accounts, to)) return draft.finish({ refused: 'resource_not_found' });
    if (to === hold.accountId) return draft.finish({ refused: 'destination_invalid' });
    const isHeld = amount <= hold.remaining;
    const captured = draft.takeFromHold(holdId, 'captured', isHeld ? amount : hold.remaining);
    const entry = draft.tryPost({
      resource: 'hold',
      resourceId: holdId,
      step: `captured_${captured.steps - 1}`,
      postings: [{ debit: hold.accountId, credit: to, amount }],
      ...(isHeld ? { allowFrozen: true, heldOn: hold.accountId } : {}),
    });
    if (!('hash' in entry)) return begin().finish({ refused: entry.code });
    draft.emit({ ...about(captured, 'captured'), entries: [entry] });
    return draft.finish(stored(200, 'hold', holdId));
  });
}

export function increaseHold(input: { holdId: Uuid; accountId: Uuid; by: bigint }): Command<Answer> {
  const { holdId, accountId, by } = input;
  return command('increase', [touchHold(holdId), touchAccounts(accountId)], (begin) => {
    const draft = begin();
    const refusal = whyNot(draft, draft.get(holds, holdId));
    if (refusal) return draft.finish(refusal);
    const increased = draft.increaseHold(holdId, by);
    if (!increased) return begin().finish({ refused: 'insufficient_funds' });
    tell(draft, increased, 'increased');
    return draft.finish(stored(200, 'hold', holdId));
  });
}

export function releaseHold(input: { holdId: Uuid; accountId: Uuid; amount: bigint | null }): Command<Answer> {
  const { holdId, accountId, amount } = input;
  return command('release', [touchHold(holdId), touchAccounts(accountId)], (begin) => {
    const draft = begin();
    const hold = draft.get(holds, holdId);
    const refusal = whyNot(draft, hold);
    if (refusal || !hold) return draft.finish(refusal ?? { refused: 'resource_not_found' });
    if (amount !== null && amount > hold.remaining) return draft.finish({ refused: 'amount_above_maximum' });
    tell(draft, draft.takeFromHold(holdId, 'released', amount ?? undefined), 'released');
    return draft.finish(stored(200, 'hold', holdId));
  });
}

export function expireHold(input: { holdId: Uuid; accountId: Uuid }): Command<Answer> {
  return command('expire', [touchHold(input.holdId), touchAccounts(input.accountId)], (begin) => {
    const draft = begin();
    const hold = draft.get(holds, input.holdId);
    if (!hold) return draft.finish({ refused: 'resource_not_found' });
    const refusal = hold.remaining === 0n ? undefined : whyNot(draft, hold);
    return draft.finish(refusal ?? stored(200, 'hold', input.holdId));
  });
}

/** Expiry is decided when the hold is used, not when the sweeper visits. */
function whyNot(draft: Draft, hold: Hold | undefined): Refusal | undefined {
  if (!hold) return { refused: 'resource_not_found' };
  if (hold.remaining === 0n) return { refused: 'state_conflict' };
  if (hold.expiresAt === null || draft.moment.book < hold.expiresAt) return undefined;
  tell(draft, draft.takeFromHold(hold.id, 'expired'), 'expired');
  return { refused: 'state_conflict' };
}

function tell(draft: Draft, hold: Hold, kind: HoldStepKind): void {
  draft.emit(about(hold, kind));
}

function about(hold: Hold, kind: HoldStepKind) {
  return { type: `hold.${kind}`, objectId: hold.id, objectSequence: hold.steps, object: {} };
}
