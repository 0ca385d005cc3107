import type { Refusal } from '../../ledger/command/command.ts';
import type { Resource, Shown } from '../../ledger/resources/resource.ts';
import { allowedActions, CARD_TRANSITIONS, type CardAction, isBeingIssued, whyNotNow } from './card.ts';
import { cards, type StoredCard } from './card-table.ts';
import { cardView } from './card-view.ts';

export const cardResource: Resource<StoredCard, Shown> = {
  name: 'card',
  table: cards,
  parent: null,
  events: [
    'card.created',
    'card.updated',
    'card.activated',
    'card.frozen',
    'card.unfrozen',
    'card.closed',
    'card.replaced',
    'card.shipped',
    'card.pin_blocked',
    'card.pin_unblocked',
  ],
  books: false,
  alsoShown: ['name_masked'],
  changed: (card, change) => ({ ...card, ...change }),
  transitions: CARD_TRANSITIONS,
  allowedActions,
  unlistedActions: ['update'],
  passes: (card, action) => action === 'replace' && isBeingIssued(card),
  whyNot: (card, action) => whyNotNow(card, action as CardAction),
  view: (card, { livemode }) => cardView(card, livemode),
};

/** Whether the processor has issued it, or never will: until then an answer may wait. */
export function isAnswered({ lastFour, status }: Pick<StoredCard, 'lastFour' | 'status'>): boolean {
  return lastFour !== null || status === 'closed';
}

/** What the card is in no state for, whatever its status allows. */
export function refusedAs(card: StoredCard, detail: string): Refusal {
  return {
    refused: 'state_conflict',
    detail,
    facts: { current_status: card.status, allowed_actions: allowedActions(card) },
  };
}
