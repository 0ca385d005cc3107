/** Push to card: by a token of payments, or a card of the book. Never by a number. */
import type { PayableCard } from '../../group/payable-card.ts';
import type { InstructedCard } from '../../rails/rail.ts';
import { parsePublicId, type Uuid } from '../../values/ids.ts';
import type { OutsideDestination, OutsideDestinationType } from './destination.ts';

/** As it is asked for: the public id of a token or of a card. */
export interface CardInput {
  readonly type: 'card';
  readonly card: string;
}

/** With what its reader found. */
export interface FoundCard extends CardInput {
  readonly payable: PayableCard;
}

export const card: OutsideDestinationType<FoundCard, InstructedCard> = {
  type: 'card',
  feeSetting: 'PAYOUT_FEE_CARD_BASIS_POINTS',
  instruct: ({ payable }) => ({ type: 'card', issuedBy: payable.issuedBy, token: payable.token }),
  shown: ({ card: shownId, payable: { brand, lastFour } }) => ({
    masked: `${brand} ****${lastFour}`,
    provider: null,
    details: { card: shownId, brand, last_four: lastFour },
  }),
  write: ({ issuedBy, token }) => JSON.stringify({ issuedBy, token }),
  read: (text) => ({ type: 'card', ...(JSON.parse(text) as Omit<InstructedCard, 'type'>) }),
  view: ({ details }) => ({ type: 'card', ...details }),
  payee: ({ token }) => token,
};

/** What a card is asked for by: the kinds of ids that stand for one. */
export const CARD_KINDS = ['paymentToken', 'card'] as const;
export type CardKind = (typeof CARD_KINDS)[number];

/** Undefined for a text that is no such id. */
export function parseCard(shownId: string): { kind: CardKind; id: Uuid } | undefined {
  for (const kind of CARD_KINDS) {
    const id = parsePublicId(kind, shownId);
    if (id !== undefined) return { kind, id };
  }
  return undefined;
}

/** The card of a stored destination, as it was asked for: it is found anew for each payout to it. */
export function askedCard({ details }: OutsideDestination): CardInput {
  return { type: 'card', card: details!.card! };
}
