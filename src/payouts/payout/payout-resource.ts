import { PAYOUT_EVENTS } from '../../ledger/events/event-form.ts';
import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { allowedActions, PAYOUT_TRANSITIONS, type Payout, whyNotNow } from './payout.ts';
import { payouts } from './payout-table.ts';
import { changingMembers, payoutView } from './payout-view.ts';

export const payoutResource: Resource<Payout, Shown> = {
  name: 'payout',
  table: payouts,
  parent: null,
  events: [
    'payout.created',
    'payout.updated',
    'payout.requires_approval',
    'payout.approved',
    'payout.rejected',
    'payout.scheduled',
    'payout.processing',
    'payout.paid',
    'payout.failed',
    'payout.canceled',
    'payout.returned',
  ],
  books: true,
  lineText: {
    externalId: 'r.external_id',
    endToEndId: 'r.end_to_end_id',
    counterparty: "NULLIF(concat_ws(' ', r.destination_details ->> 'name_masked', r.destination_masked), '')",
    description: 'r.description',
  },
  changed: (payout, change) => ({ ...payout, ...change }),
  eventForm: PAYOUT_EVENTS,
  transitions: PAYOUT_TRANSITIONS,
  firstStatuses: ['pending'],
  unlistedActions: ['update'],
  allowedActions,
  whyNot: whyNotNow,
  view: (payout, { livemode }) => payoutView(payout, livemode),
  changingMembers,
};
