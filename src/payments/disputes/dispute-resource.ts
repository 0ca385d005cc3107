import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { allowedActions, DISPUTE_TRANSITIONS, type Dispute, whyNotNow } from './dispute.ts';
import { disputes } from './dispute-table.ts';
import { disputeView } from './dispute-view.ts';

export const disputeResource: Resource<Dispute, Shown> = {
  name: 'dispute',
  table: disputes,
  parent: { name: 'payment', column: 'payment_id' },
  events: [
    'dispute.opened',
    'dispute.evidence_due_soon',
    'dispute.evidence_submitted',
    'dispute.accepted',
    'dispute.won',
    'dispute.lost',
    'dispute.escalated',
  ],
  books: true,
  lineText: {
    of: { table: 'payments', key: 'id', column: 'payment_id' },
    externalId: 'p.external_id',
    description: 'p.description',
  },
  changed: (dispute, change) => ({ ...dispute, ...change }),
  transitions: DISPUTE_TRANSITIONS,
  view: (dispute, { livemode }) => disputeView(dispute, livemode),
  allowedActions: (dispute) => allowedActions(dispute),
  whyNot: whyNotNow,
};
