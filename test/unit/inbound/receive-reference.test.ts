/** References of accounts: ISO 11649, and how one is found in what a payer writes. */
import { expect, test } from 'vitest';
import { newReference, referencesIn, withCheckDigits } from '../../../src/inbound/references/receive-reference.ts';

const ONE = withCheckDigits('0123456789ABCDEF');
const OTHER = withCheckDigits('ZYXWVTSRQPNMKJHG');
const grouped = (reference: string) => reference.match(/.{1,4}/g)!.join(' ');

test('check digits are those of ISO 7064, MOD 97-10', () => {
  // RF18 5390 0754 7034 is the example of ISO 11649.
  expect(withCheckDigits('539007547034')).toBe('RF18539007547034');
});

test('a new one has twenty characters and is found again', () => {
  for (let made = 0; made < 100; made++) {
    const reference = newReference();
    expect(reference).toMatch(/^RF\d{2}[0-9A-HJKMNP-TV-Z]{16}$/);
    expect(referencesIn([reference])).toEqual([reference]);
  }
  expect(new Set(Array.from({ length: 1_000 }, newReference)).size).toBe(1_000);
});

test.each`
  texts                                       | found
  ${[ONE]}                                    | ${[ONE]}
  ${[grouped(ONE).toLowerCase()]}             | ${[ONE]}
  ${[`Invoice 12 ${grouped(ONE)} thank you`]} | ${[ONE]}
  ${[`INV${ONE}/2027`]}                       | ${[ONE]}
  ${[ONE.slice(0, 9), ONE.slice(9)]}          | ${[ONE]}
  ${[ONE, ONE]}                               | ${[ONE]}
  ${[`${ONE} ${OTHER}`]}                      | ${[ONE, OTHER]}
  ${[`RF00${ONE.slice(4)}`]}                  | ${[]}
  ${[ONE.slice(0, 19)]}                       | ${[]}
  ${['RF18539007547034']}                     | ${[]}
  ${[]}                                       | ${[]}
  ${['']}                                     | ${[]}
`('of $texts it finds $found', ({ texts, found }) => {
  expect(referencesIn(texts)).toEqual(found);
});
