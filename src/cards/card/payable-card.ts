/** A card of the book as the card of a payout. */
import type { PayableCards } from '../../group/payable-card.ts';
import { cards } from './card-table.ts';

export const payableCards: PayableCards = {
  async find(pool, bookId, id) {
    const card = await cards.find(pool, bookId, id);
    if (!card || card.cardReference === null) return undefined;
    return {
      issuedBy: card.processor,
      token: card.cardReference,
      brand: card.network!,
      lastFour: card.lastFour!,
      isReusable: true,
      unusable: card.status === 'active' ? null : { refused: 'card_not_active', detail: `The card is ${card.status}.` },
      touches: [{ table: cards, ids: [id] }],
      use(draft, param) {
        const status = draft.get(cards, id)?.status;
        if (status === 'active') return undefined;
        return { refused: 'card_not_active', param, detail: `The card is ${status}.` };
      },
    };
  },
};
