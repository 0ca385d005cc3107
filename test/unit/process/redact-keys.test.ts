import { expect, test } from 'vitest';
import { redactKeys } from '../../../src/process/redact-keys.ts';

const KEY = 'sk_test_AbC-123_x';
const encoded = (text: string, digits: (hex: string) => string) =>
  [...text].map((character) => `%${digits(character.charCodeAt(0).toString(16))}`).join('');

test.each([
  ['as it is', KEY],
  ['with its marks encoded', KEY.replaceAll('_', '%5F')],
  ['in lower case', KEY.replaceAll('_', '%5f')],
  ['whole', encoded(KEY, (hex) => hex)],
  ['whole, in capitals', encoded(KEY, (hex) => hex.toUpperCase())],
  ['in part', `s%6b_%74est_${KEY.slice(8)}`],
  ['twice', KEY.replaceAll('_', '%255F')],
  ['three times, its own percent signs too', KEY.replaceAll('_', '%25%32%35%35%46')],
  ['in other letters', KEY.toUpperCase()],
])('a key is redacted: %s', (_, key) => {
  for (const text of [`/v1/${key}`, `/v1/payouts/${key}/x%zz`, `Failed to decode ${key}\n    at route`]) {
    const redacted = redactKeys(text);
    expect(redacted).toMatch(/sk_(test|TEST)_\[redacted\]/);
    expect(decodeURIComponent(redacted.replaceAll('%zz', ''))).not.toMatch(/AbC/i);
  }
});

test('a text without a key stays unchanged', () => {
  for (const text of ['/v1/idempotency_keys/a%2Fb%3F', 'risk_test', '/v1/%zz', 'a 100 % safe text', '%E0%A4%A'])
    expect(redactKeys(text)).toBe(text);
});

test('the token of a checkout page is redacted', () => {
  const token = `chk_${'A1-_'.repeat(10)}xyz`;
  for (const spelled of [token, encoded(token, (hex) => hex), token.replaceAll('_', '%255F'), token.toUpperCase()])
    expect(redactKeys(`/checkout/${spelled}`)).toBe('/checkout/chk_[redacted]');
});
