import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { type AccountHold, accountHoldView, allowedActions, HOLD_TRANSITIONS } from './account-hold.ts';
import { accountHolds } from './account-hold-table.ts';

export const accountHoldResource: Resource<AccountHold, Shown> = {
  name: 'hold',
  table: accountHolds,
  parent: { name: 'account', column: 'account_id' },
  events: ['hold.created', 'hold.increased', 'hold.released', 'hold.expired', 'hold.captured'],
  books: false,
  changed: (hold, change) => ({ ...hold, ...change }),
  transitions: HOLD_TRANSITIONS,
  allowedActions,
  view: (hold, { livemode }) => accountHoldView(hold, livemode),
};
