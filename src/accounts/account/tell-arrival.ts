/**
 * Money that arrives on a customer's account emits `account.updated` of the account, with the entry and the balance
 * before, beside any other event of the entry. Commands that book it declare `accountTouches`.
 */

import type { Draft } from '../../ledger/command/draft.ts';
import type { Entry } from '../../ledger/entry/entry.ts';
import { advance, shownBy } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { accountProfiles } from './account-profile-table.ts';
import { accountResource } from './account-resource.ts';

/** Called before the entry is booked. The result is called with the entry, after the event of the resource that booked it. */
export function expectArrival(draft: Draft, accountId: Uuid): (entry: Entry) => void {
  const profile = draft.get(accountProfiles, accountId);
  // An account of the chart has no profile, and emits no event.
  if (profile === undefined) return () => undefined;
  const before = shownBy(draft, accountResource, profile);
  return (entry) => {
    advance(draft, accountResource, profile, {}, { event: 'account.updated', entries: [entry], before });
  };
}
