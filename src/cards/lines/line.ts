/**
 * A line of cards that replace one another, with its tokens, in a decision. It is read before its command is made, and the command touches
 * what was read. Its first card counts its cards and tokens: a line that has grown since is read again.
 */

import type { Touch } from '../../ledger/command/command.ts';
import type { Draft } from '../../ledger/command/draft.ts';
import { StaleRead } from '../../ledger/commit/stale-read.ts';
import { isOpen } from '../card/card.ts';
import { cards, type StoredCard } from '../card/card-table.ts';
import { cardTokens, type StoredCardToken } from '../tokens/card-token-table.ts';
import type { LineRead } from './line-store.ts';

/** A renewal every three years for more than a century. */
export const CARDS_PER_LINE_MAX = 50;
/** Of those that are not deactivated: wallets, and merchants that keep the card on file. */
export const TOKENS_PER_LINE_MAX = 200;

export interface Line {
  /** In no order: card-line.ts knows it. */
  readonly cards: readonly StoredCard[];
  /** That were not deactivated when they were read. */
  readonly tokens: readonly StoredCardToken[];
}

export function lineTouches({ cardIds, tokenIds }: LineRead): Touch[] {
  return [
    { table: cards, ids: cardIds },
    { table: cardTokens, ids: tokenIds },
  ];
}

/** The line as it is in the draft. Throws StaleRead where it has had another card or token since it was read. */
export function lineIn(draft: Draft, { lineId, cardIds, tokenIds, tokens }: LineRead): Line {
  const first = draft.get(cards, lineId)!;
  if (first.lineCards !== cardIds.length || first.lineTokens !== tokens)
    throw new StaleRead('The card has changed meanwhile. Send the request again.');
  return {
    cards: cardIds.map((id) => draft.get(cards, id)!),
    tokens: tokenIds.map((id) => draft.get(cardTokens, id)!),
  };
}

/** Counts one more card or token of a line, on its first card. */
export function countInLine(draft: Draft, lineId: string, more: { cards?: number; tokens?: number }): void {
  const first = draft.get(cards, lineId)!;
  const { cards: moreCards = 0, tokens: moreTokens = 0 } = more;
  const lineCards = first.lineCards + moreCards;
  const lineTokens = first.lineTokens + moreTokens;
  draft.put(cards, lineId, { ...first, lineCards, lineTokens });
}

/** Whether a card of the line may still be used, or wait to be. */
export function isOpenLine({ cards: ofLine }: Line): boolean {
  return ofLine.some(isOpen);
}
