/**
 * `account.balance_low`: the available balance of an account has fallen below what its holder named. Emitted in the commit in which it falls
 * (ledger/commit/watch-balances.ts), by whatever it does.
 */
import type { BalanceWatch } from '../../ledger/commit/watch-balances.ts';
import { advance, shownBy } from '../../ledger/resources/resource.ts';
import { accountProfiles } from './account-profile-table.ts';
import { accountResource, accountTouches } from './account-resource.ts';

export const lowBalances: BalanceWatch = {
  touches: ({ id: accountId, currency }) => accountTouches({ accountId, currency }),
  notify(draft, { account, before, entries }) {
    const profile = draft.get(accountProfiles, account.id)!;
    const known = before.get(accountProfiles, account.id)!;
    const shown = shownBy(before, accountResource, known);
    advance(draft, accountResource, profile, {}, { event: 'account.balance_low', entries, before: shown });
  },
};
