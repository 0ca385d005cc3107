import { eventsOf } from '../../../api/event-document.ts';
import { transactionDisputeApi } from './dispute-routes.ts';

export const transactionDisputeEvents = eventsOf(transactionDisputeApi, {
  summary: {
    'transaction_dispute.opened': 'A cardholder disputes a purchase',
    'transaction_dispute.submitted': 'The dispute of a purchase was submitted to the network',
    'transaction_dispute.won': 'The dispute of a purchase was won',
    'transaction_dispute.lost': 'The dispute of a purchase was lost',
    'transaction_dispute.withdrawn': 'The dispute of a purchase was withdrawn',
  },
  when: {
    'transaction_dispute.opened': 'Nothing is booked.',
    'transaction_dispute.submitted': 'The customer is credited provisionally, with what was not refunded meanwhile.',
    'transaction_dispute.won': 'The credit stays.',
    'transaction_dispute.lost': 'What was left of the credit is taken back.',
    'transaction_dispute.withdrawn': 'What was left of the credit is taken back.',
  },
});
