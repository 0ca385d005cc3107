import { eventsOf } from '../../../api/event-document.ts';
import { cardApi } from './card-routes.ts';

export const cardEvents = eventsOf(cardApi, {
  summary: {
    'card.created': 'A card was created',
    'card.updated': 'A card was updated',
    'card.activated': 'A card was activated',
    'card.frozen': 'A card was frozen',
    'card.unfrozen': 'A card was unfrozen',
    'card.closed': 'A card was closed',
    'card.replaced': 'A card was replaced',
    'card.shipped': 'A card was shipped',
    'card.pin_blocked': 'The secret code of a card was blocked',
    'card.pin_unblocked': 'The secret code of a card was unblocked',
  },
  when: {
    'card.created': 'A card was accepted, also one that replaces another. Its processor makes it now.',
    'card.updated': 'Its processor has issued the card, or what it says for people has changed.',
    'card.activated': 'A card that waited pays from now on; the cards that it replaces were closed with it.',
    'card.frozen': 'Only credits pass from now on.',
    'card.unfrozen': 'It pays again.',
    'card.closed': 'Nothing is authorized any more; `closed_reason` says why. What it had authorized still clears.',
    'card.replaced': '`replaced_by` is the card that follows; `card.created` announces that one.',
    'card.shipped': 'The card is on its way to its cardholder.',
    'card.pin_blocked': 'Three wrong PINs in a row were entered.',
    'card.pin_unblocked': 'Entered PINs are judged again.',
  },
});
