import { expect, test } from 'vitest';
import {
  allowedActions,
  CARD_TRANSITIONS,
  type Card,
  type CardStatus,
  whyNotNow,
} from '../../../src/cards/card/card.ts';
import { cardOf } from './decision-values.ts';

test.each<[Partial<Card> & { status: CardStatus }, string]>([
  [{ status: 'pending_activation', shippingStatus: 'ordered' }, 'activate close ship replace'],
  [{ status: 'pending_activation', shippingStatus: 'shipped' }, 'activate close replace'],
  [{ status: 'active' }, 'freeze close replace'],
  [{ status: 'active', pinStatus: 'blocked' }, 'freeze close unblock_pin replace'],
  [{ status: 'active', replacedBy: 'card-b' }, 'freeze close'],
  [{ status: 'active', cardReference: null }, 'freeze close'],
  [{ status: 'frozen' }, 'unfreeze close replace'],
  [{ status: 'closed', shippingStatus: 'ordered', pinStatus: 'blocked' }, ''],
])('a card with %j allows: %s', (values, actions) => {
  expect(allowedActions(cardOf(values)).join(' ')).toBe(actions);
});

test.each`
  status      | replacedBy  | action           | sentence
  ${'closed'} | ${null}     | ${'replace'}     | ${'The card is closed.'}
  ${'active'} | ${'card-b'} | ${'replace'}     | ${'The card has been replaced already: replace the card that replaces it.'}
  ${'active'} | ${null}     | ${'ship'}        | ${'No shipment of this card is ordered.'}
  ${'active'} | ${null}     | ${'unblock_pin'} | ${'The PIN of this card is not blocked.'}
  ${'active'} | ${null}     | ${'activate'}    | ${'The card is active.'}
`('$action of a card that is $status: $sentence', ({ status, replacedBy, action, sentence }) => {
  expect(whyNotNow({ status, replacedBy, cardReference: 'reference' }, action)).toBe(sentence);
});

test.each`
  status      | sentence
  ${'active'} | ${'The processor has not issued the card yet.'}
  ${'closed'} | ${'The card is closed.'}
`('a card that is $status and not issued is not replaced: $sentence', ({ status, sentence }) => {
  expect(whyNotNow({ status, replacedBy: null, cardReference: null }, 'replace')).toBe(sentence);
});

test('every status may close, and a closed card stays closed', () => {
  const { closed: fromClosed, ...open } = CARD_TRANSITIONS;
  expect(fromClosed).toEqual([]);
  for (const next of Object.values(open)) expect(next).toContain('closed');
});
