import { eventsOf } from '../../../api/event-document.ts';
import { bankMatchApi } from './bank-match-routes.ts';

export const bankMatchEvents = eventsOf(bankMatchApi, {
  summary: {
    'bank_match.proposed': 'A match was proposed',
    'bank_match.approved': 'A match was confirmed',
    'bank_match.rejected': 'A match was rejected',
    'bank_match.undone': 'A match was undone',
  },
  when: {
    'bank_match.proposed': 'A person proposed it; another one approves or rejects.',
    'bank_match.approved': 'A rule or a second person confirmed it, and it is booked.',
    'bank_match.rejected': 'A second person rejected it; nothing is booked.',
    'bank_match.undone': 'A person undid it; an entry has booked it back.',
  },
});
