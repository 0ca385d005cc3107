import { eventsOf } from '../../../api/event-document.ts';
import { disputeApi } from './dispute-routes.ts';

export const disputeEvents = eventsOf(disputeApi, {
  summary: {
    'dispute.opened': 'A payer disputes a payment',
    'dispute.evidence_due_soon': 'Evidence for a dispute is due soon',
    'dispute.evidence_submitted': 'Evidence for a dispute was submitted',
    'dispute.accepted': 'A dispute was accepted',
    'dispute.won': 'A dispute was won',
    'dispute.lost': 'A dispute was lost',
    'dispute.escalated': 'A dispute is followed by another',
  },
  when: {
    'dispute.opened':
      'The acquirer told of a dispute. The entry is that of the money that a chargeback took; an inquiry has none.',
    'dispute.evidence_due_soon': 'Two days before `evidence_due_at`, while nobody has answered.',
    'dispute.evidence_submitted': 'The acquirer has your evidence, and decides.',
    'dispute.accepted': 'The acquirer knows that you do not contest it. What was taken stays taken.',
    'dispute.won':
      'The acquirer decided for you: what a chargeback took is back where it came from, and may be disputed again.',
    'dispute.lost': 'The acquirer decided for the payer: what was taken stays taken.',
    'dispute.escalated':
      'An inquiry became a chargeback, or one that was won is disputed again: `next_dispute` is opened in the same commit. An open inquiry is `lost` by that.',
  },
});
