import type { ClosingBlocker } from '../../ledger/command/closing-blocker.ts';
import { publicId } from '../../values/ids.ts';
import { openCards } from './open-cards-store.ts';

/** An account stays open while a card of it is not closed. */
export const cardsOpen: ClosingBlocker<'cards_open'> = {
  types: ['cards_open'],
  touches: (accountId) => [{ table: openCards, ids: [accountId] }],
  find(draft, accountId) {
    const cardIds = draft.get(openCards, accountId)?.cardIds ?? [];
    return cardIds.length === 0 ? undefined : { type: 'cards_open', cards: cardIds.map((id) => publicId('card', id)) };
  },
};
