import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  checkoutDigest,
  checkoutToken,
  checkoutUrl,
  markedCheckoutUrl,
  withCheckoutUrls,
} from '../../../src/payments/payment/checkout-link.ts';
import { newId, publicId } from '../../../src/values/ids.ts';

const keyed = (key: string) => ({ digestOf: (text: string) => createHmac('sha256', key).update(text).digest('hex') });
const [bookId, otherBook, id] = [newId(), newId(), newId()];
const parts = { fingerprints: keyed('a'), publicUrl: 'https://pay.example', bookId };

const view = (url: string, more: object = {}) =>
  JSON.stringify({ ...more, next_action: { type: 'redirect', url, expires_at: null } });

test('a token is of one payment, one book and one installation', () => {
  const tokens = [
    checkoutToken(keyed('a'), bookId, id),
    checkoutToken(keyed('a'), otherBook, id),
    checkoutToken(keyed('a'), bookId, newId()),
    checkoutToken(keyed('b'), bookId, id),
  ];
  expect(new Set(tokens).size).toBe(4);
  expect(checkoutToken(keyed('a'), bookId, id)).toBe(tokens[0]);
  for (const token of tokens) expect(checkoutDigest(token)).toHaveLength(32);
});

test('links are put in wherever a view stands', () => {
  const stored = `{"data":[${view(markedCheckoutUrl(id))},{"object":${view(markedCheckoutUrl(id))}}]}`;
  const url = checkoutUrl(parts.fingerprints, parts.publicUrl, { bookId, id });
  expect(withCheckoutUrls(stored, parts)).toBe(`{"data":[${view(url)},{"object":${view(url)}}]}`);
});

test('nothing that a client writes becomes a link', () => {
  const mark = markedCheckoutUrl(id);
  const texts = [
    view('https://bank.example', { description: mark }),
    view('https://bank.example', { metadata: { type: 'redirect', url: mark } }),
    view('https://bank.example', { description: view(mark) }),
    view('https://bank.example', { metadata: { next_action: view(mark) } }),
    view('checkout:pay_notanid'),
  ];
  for (const text of texts) expect(withCheckoutUrls(text, parts)).toBe(text);
});

test.each([
  '',
  'chk_',
  publicId('payment', id),
  `chk_${'a'.repeat(42)}`,
  `chk_${'a'.repeat(44)}`,
  `chk_${'/'.repeat(43)}`,
])('the text "%s" is no token', (text) => expect(checkoutDigest(text)).toBeUndefined());
