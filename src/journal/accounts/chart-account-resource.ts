/** An own account as a resource: its row has name and version, the ledger's account has status and balances. */
import type { Resource } from '../../ledger/resources/resource.ts';
import { chartAccountView } from './chart-account-view.ts';
import type { OwnAccount } from './own-account.ts';
import { ownAccounts } from './own-account-table.ts';

export const chartAccountResource: Resource<OwnAccount> = {
  name: 'chart_account',
  table: ownAccounts,
  parent: null,
  events: ['chart_account.created', 'chart_account.updated'],
  books: false,
  noun: 'account of the chart',
  changed: (own, change) => ({ ...own, ...change }),
  statusOf: (own, draft) => (draft.account(own.accountId).status === 'closed' ? 'archived' : 'open'),
  unlistedActions: ['update'],
  view: (own, draft) => chartAccountView({ account: draft.account(own.accountId), own }, { livemode: draft.livemode }),
};
