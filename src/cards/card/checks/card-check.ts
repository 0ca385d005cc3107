/**
 * Checks cards: a line counts its cards and tokens and has one newest card, tokens end with the last card of their
 * line, and the state of a card was sent to its processor, or is about to be.
 */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import { behindNewIds } from '../../../group/until.ts';
import { publicId, type Uuid } from '../../../values/ids.ts';
import { type CardHistory, readCardHistories, readCardHistoriesById } from './card-check-store.ts';

export const cardCheck: RowCheck<CardHistory, Uuid> = {
  name: 'cards',
  pageRows: 500,
  read: ({ pool, book }, page) => readCardHistories(pool, book.id, page),
  readByIds: ({ pool, book }, ids) => readCardHistoriesById(pool, book.id, ids),
  check: checkCard,
  placeOf: ({ card }, until) => behindNewIds(card.id, until),
};

function checkCard(context: CheckContext, history: CardHistory): void {
  const { card } = history;
  if (card.id === card.lineId) checkLine(context, history);
  checkSentState(context, history);
}

function checkLine({ report }: CheckContext, history: CardHistory): void {
  const { card, cards, tokens, newest, openCards, openTokens } = history;
  const ids = { card: publicId('card', card.id) };
  const counted = `${card.lineCards} cards, ${card.lineTokens} tokens`;
  const there = `${cards} cards, ${tokens} tokens`;
  if (counted !== there)
    report({
      check: 'card.line',
      ids,
      expected: there,
      actual: counted,
      detail: 'The line counts others than it has.',
    });
  // One that never was issued may be all there is.
  if (newest > 1 || (newest === 0 && openCards > 0))
    report({
      check: 'card.newest',
      ids,
      expected: '1 newest card',
      actual: `${newest}`,
      detail: 'A line of cards has one newest card.',
    });
  if (openCards === 0 && openTokens > 0)
    report({
      check: 'card.tokens',
      ids,
      expected: '0 tokens that are not deactivated',
      actual: `${openTokens}`,
      detail: 'The last card of the line is closed, and its tokens are not deactivated.',
    });
}

function checkSentState({ report }: CheckContext, { card, sentState, isBeingMade }: CardHistory): void {
  const ids = { card: publicId('card', card.id) };
  const isIssued = card.cardReference !== null;
  if (isIssued && sentState !== card.status)
    report({
      check: 'card.told',
      ids,
      expected: card.status,
      actual: sentState ?? 'nothing',
      detail: 'The processor is told another state of the card.',
    });
  const waits = !isIssued && card.closedReason !== 'not_issued';
  if (waits !== isBeingMade)
    report({
      check: 'card.making',
      ids,
      expected: waits ? 'an operation that is pending' : 'none',
      actual: isBeingMade ? 'one' : 'none',
      detail: waits ? 'Nobody makes this card.' : 'A card that is made, or never will be, is still being made.',
    });
}
