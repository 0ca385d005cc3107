import { PAYOUT_EVENTS } from '../../ledger/events/event-form.ts';
import type { Resource, Shown } from '../../ledger/rows/resource.ts';
import { allowedActions, PAYOUT_TRANSITIONS, type Payout, whyNotNow } from './payout.ts';
import { payouts } from './payout-table.ts';
import { changingMembers, payoutView } from './payout-view.ts';

export const payoutResource: Resource<Payout, Shown> = {
  name: 'payout',
  idKind: 'payout',
  table: payouts,
  changed: (payout, change) => ({ ...payout, ...change }),
  eventForm: PAYOUT_EVENTS,
  transitions: PAYOUT_TRANSITIONS,
  firstStatuses: ['pending'],
  allowedActions,
  whyNot: whyNotNow,
  view: (payout, { livemode }) => payoutView(payout, livemode),
  changingMembers,
};
