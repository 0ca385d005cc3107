/** What remains of a line of cards when those that wait to be activated close, in whatever order. */
import { describe, expect, test } from 'vitest';
import { type Card, isOpen } from '../../../src/cards/card/card.ts';
import {
  type Closing,
  closingsByActivation,
  inOrder,
  losingSuccessor,
  replaceCard,
} from '../../../src/cards/card/card-line.ts';
import { cardOf } from './decision-values.ts';

type Line = readonly Card[];

/** `a` is followed by `b`, and so on, in the order in which they were made. */
const FIRST: Line = [cardOf({ id: 'a', type: 'physical' })];

function replaced(line: Line, id: string): Line {
  const old = line.find((card) => card.id === id)!;
  const next = String.fromCharCode('a'.charCodeAt(0) + line.length);
  const { successor, closings } = replaceCard(line, old, 'damaged');
  const { keepsNumber: _, ...inherited } = successor;
  return [...closed(changed(line, [id], { replacedBy: next }), closings), cardOf({ id: next, ...inherited })];
}

function ended(line: Line, closing: Closing): Line {
  const wasPending = line.find(({ id }) => id === closing.cardId)!.status === 'pending_activation';
  const losing = wasPending ? losingSuccessor(line, closing).map(({ id }) => id) : [];
  return changed(closed(line, [closing]), losing, { replacedBy: null });
}

function activated(line: Line, id: string): Line {
  const card = line.find((one) => one.id === id)!;
  return changed(closed(line, closingsByActivation(line, card)), [id], { status: 'active' });
}

function closed(line: Line, closings: readonly Closing[]): Line {
  return closings.reduce(
    (cards, { cardId, closedReason }) => changed(cards, [cardId], { status: 'closed', closedReason }),
    line,
  );
}

const changed = (line: Line, ids: readonly string[], change: Partial<Card>) =>
  line.map((card) => (ids.includes(card.id) ? { ...card, ...change } : card));

/** `abcd`: a, and three that were made after it and wait. */
const waiting = (count: number) =>
  Array.from({ length: count }).reduce<Line>((line) => replaced(line, line.at(-1)!.id), FIRST);

const requested = (cardId: string): Closing => ({ cardId, closedReason: 'requested' });
const notIssued = (cardId: string): Closing => ({ cardId, closedReason: 'not_issued' });
const shown = (line: Line) =>
  inOrder(line)
    .map(({ id, status }) => (status === 'closed' ? id : id.toUpperCase()))
    .join('');

describe('cards that close while they wait', () => {
  test.each`
    closes       | remains
    ${'b'}       | ${'AbCD'}
    ${'c'}       | ${'ABcD'}
    ${'d'}       | ${'ABC'}
    ${'d c'}     | ${'AB'}
    ${'c d'}     | ${'AB'}
    ${'b c'}     | ${'AbcD'}
    ${'b c d'}   | ${'A'}
    ${'c b d'}   | ${'A'}
    ${'d c b'}   | ${'A'}
    ${'b d'}     | ${'AbC'}
    ${'b d c'}   | ${'A'}
    ${'a b c'}   | ${'abcD'}
    ${'a b c d'} | ${'abcd'}
    ${'a c d b'} | ${'ab'}
  `('of four, $closes: $remains remains', ({ closes, remains }) => {
    const line = closes.split(' ').reduce((cards: Line, id: string) => ended(cards, requested(id)), waiting(3));
    expect(shown(line)).toBe(remains);
  });

  test('one that is never issued makes way for the open one, though the card before it is closed', () => {
    const line = ended(waiting(2), requested('b'));
    expect(shown(ended(line, notIssued('c')))).toBe('A');
  });

  test('one that is never issued does not even replace a closed card', () => {
    const line = ended(waiting(1), requested('a'));
    expect(losingSuccessor(line, requested('b'))).toEqual([]);
    expect(losingSuccessor(line, notIssued('b')).map(({ id }) => id)).toEqual(['a']);
  });

  test('one that has left the line already changes nothing of the card that came in its place', () => {
    const left = ended(waiting(1), requested('b'));
    const line = replaced(left, 'a');
    expect(shown(line)).toBe('AC');
    expect(losingSuccessor(line, notIssued('b'))).toEqual([]);
  });
});

test('whatever is replaced, activated and closed: every open card is in the line, and its newest is open', () => {
  const seen = new Set<string>();
  const walk = (line: Line, steps: number) => {
    const order = inOrder(line);
    expect(order.filter(isOpen).length).toBe(line.filter(isOpen).length);
    expect(isOpen(order.at(-1)!)).toBe(line.some(isOpen));
    seen.add(shown(line));
    if (steps === 0) return;
    for (const card of line.filter(isOpen)) {
      if (card.replacedBy === null) walk(replaced(line, card.id), steps - 1);
      walk(ended(line, requested(card.id)), steps - 1);
      if (card.status !== 'pending_activation') continue;
      walk(activated(line, card.id), steps - 1);
      if (card.replacedBy === null) walk(ended(line, notIssued(card.id)), steps - 1);
    }
  };
  walk(FIRST, 6);
  expect(seen).toContain('AbC');
});
