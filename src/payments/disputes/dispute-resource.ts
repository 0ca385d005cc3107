import type { Resource, Shown } from '../../ledger/rows/resource.ts';
import { allowedActions, DISPUTE_TRANSITIONS, type Dispute, whyNotNow } from './dispute.ts';
import { disputes } from './dispute-table.ts';
import { disputeView } from './dispute-view.ts';

export const disputeResource: Resource<Dispute, Shown> = {
  name: 'dispute',
  idKind: 'dispute',
  table: disputes,
  changed: (dispute, change) => ({ ...dispute, ...change }),
  transitions: DISPUTE_TRANSITIONS,
  view: (dispute, { livemode }) => disputeView(dispute, livemode),
  allowedActions: (dispute) => allowedActions(dispute),
  whyNot: whyNotNow,
};
