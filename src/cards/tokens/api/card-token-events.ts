import { eventsOf } from '../../../api/event-document.ts';
import { cardTokenApi } from './card-token-routes.ts';

export const cardTokenEvents = eventsOf(cardTokenApi, {
  summary: {
    'card_token.requested': 'A token of a card was requested',
    'card_token.activated': 'A token of a card was activated',
    'card_token.suspended': 'A token of a card was suspended',
    'card_token.resumed': 'A token of a card was resumed',
    'card_token.deactivated': 'A token of a card was deactivated',
  },
  when: {
    'card_token.requested': 'A network asks for it: approve it, have the cardholder verified, or decline it.',
    'card_token.activated': 'It pays from now on.',
    'card_token.suspended': 'It does not pay until it is resumed.',
    'card_token.resumed': 'It pays again.',
    'card_token.deactivated': 'It is over: `deactivated_reason` says why.',
  },
});
