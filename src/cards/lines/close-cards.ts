/**
 * Closes cards of a line, and its tokens with the last of them, in one commit. The processor is notified afterwards.
 */
import type { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import type { Uuid } from '../../values/ids.ts';
import { type Closing, endsLine, losingSuccessor } from '../card/card-line.ts';
import { cardResource } from '../card/card-resource.ts';
import { cards, type StoredCard } from '../card/card-table.ts';
import { startStateOperation } from '../operations/new-operation.ts';
import { cardTokenResource } from '../tokens/card-token-resource.ts';
import { cardTokens, type StoredCardToken } from '../tokens/card-token-table.ts';
import type { Line } from './line.ts';

/** `line`: with the card that takes their place, where there is one. */
export function closeCards(draft: Draft, line: Line, closings: readonly Closing[], requestId: Uuid): void {
  const isOver = endsLine(line.cards, closings);
  for (const { cardId, closedReason } of closings)
    closeCard(draft, draft.get(cards, cardId)!, { closedReason, requestId });
  if (isOver) deactivateTokens(draft, line.tokens);
}

/** One card, whatever becomes of its line. Returns the closed card. */
function closeCard(
  draft: Draft,
  card: StoredCard,
  { closedReason, requestId }: Pick<Closing, 'closedReason'> & { readonly requestId: Uuid },
): StoredCard {
  const closed = advance(draft, cardResource, card, { status: 'closed', closedReason }, { event: 'card.closed' });
  startStateOperation(draft, closed, requestId);
  return closed;
}

/** A card that came to nothing: the open one before it may be replaced again. */
export function leaveLine(draft: Draft, line: Line, closing: Closing): void {
  for (const card of losingSuccessor(line.cards, closing))
    advance(draft, cardResource, card, { replacedBy: null }, { event: 'card.updated' });
}

/** The last card of their line is closed, and no other takes its place. */
export function deactivateTokens(draft: Draft, tokens: readonly StoredCardToken[]): void {
  for (const { id } of tokens) {
    const token = draft.get(cardTokens, id)!;
    if (token.status === 'deactivated') continue;
    advance(
      draft,
      cardTokenResource,
      token,
      { status: 'deactivated', isVerifying: false, deactivatedReason: 'card_closed' },
      { event: 'card_token.deactivated' },
    );
  }
}
