import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasCardNumber, maskCardNumbers } from '../../../src/api/card-number.ts';

describe('a card number', () => {
  test.each`
    text                                                       | found    | why
    ${'4242424242424242'}                                      | ${true}  | ${'Visa'}
    ${'4222222222222'}                                         | ${true}  | ${'Visa of 13 digits'}
    ${'5555555555554444'}                                      | ${true}  | ${'Mastercard'}
    ${'2223003122003222'}                                      | ${true}  | ${'Mastercard of the second range'}
    ${'378282246310005'}                                       | ${true}  | ${'American Express'}
    ${'30569309025904'}                                        | ${true}  | ${'Diners Club'}
    ${'6011111111111117'}                                      | ${true}  | ${'Discover'}
    ${'3566002020360505'}                                      | ${true}  | ${'JCB'}
    ${'6200000000000005'}                                      | ${true}  | ${'UnionPay'}
    ${'4242 4242 4242 4242'}                                   | ${true}  | ${'in groups'}
    ${'4242-4242-4242-4242'}                                   | ${true}  | ${'with hyphens'}
    ${'paid by 4242424242424242, thanks'}                      | ${true}  | ${'in a sentence'}
    ${'card:4242424242424242'}                                 | ${true}  | ${'behind a colon'}
    ${'card-4242424242424242'}                                 | ${true}  | ${'behind a hyphen'}
    ${'4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2'}                       | ${true}  | ${'digit by digit'}
    ${'1 4242424242424242'}                                    | ${false} | ${'a run of 17 digits that is none'}
    ${'4242424242424241'}                                      | ${false} | ${'a wrong check digit'}
    ${'4242  4242  4242  4242'}                                | ${false} | ${'two spaces end a run'}
    ${'42424242424242424242'}                                  | ${false} | ${'twenty digits'}
    ${'424242424242'}                                          | ${false} | ${'twelve digits'}
    ${'9999999999999995'}                                      | ${false} | ${'valid, and of no issuer'}
    ${'37828224631000500'}                                     | ${false} | ${'American Express has 15 digits'}
    ${'acct4242424242424242'}                                  | ${false} | ${'in a token'}
    ${'4242424242424242abc'}                                   | ${false} | ${'in a token'}
    ${'inv_4242424242424242'}                                  | ${false} | ${'in a token'}
    ${'deadbeef-dead-4ead-8111-4242424242424242'}              | ${false} | ${'a run that begins before it'}
    ${'deadbeef-dead-4ead-8111-111111111116'}                  | ${false} | ${'in a UUID'}
    ${'deadbeef-dead-4ead-8111-111111111116 4242424242424242'} | ${true}  | ${'beside a UUID'}
    ${'4242\u00a04242\u00a04242\u00a04242'}                    | ${true}  | ${'with no-break spaces, as it is pasted'}
    ${'4242\u20114242\u20134242\u22124242'}                    | ${true}  | ${'with other hyphens'}
    ${'\u0664\u0662\u0664\u0662 '.repeat(4).trim()}            | ${true}  | ${'in Arabic digits'}
    ${'\u06f4\u06f2\u06f4\u06f2'.repeat(4)}                    | ${true}  | ${'in Persian digits'}
    ${'\uff14\uff12'.repeat(8)}                                | ${true}  | ${'in wide digits'}
    ${'\u{1d7d2}\u{1d7d0}'.repeat(8)}                          | ${true}  | ${'in mathematical digits'}
    ${'\u0664\u0662\u0664\u0662'.repeat(3)}                    | ${false} | ${'twelve Arabic digits'}
    ${''}                                                      | ${false} | ${'nothing'}
  `('in $text: $found ($why)', ({ text, found }) => {
    expect(hasCardNumber(text)).toBe(found);
  });

  test('is found wherever it stands between words, whatever its separators', () => {
    const separators = fc.array(fc.constantFrom('', ' ', '-'), { minLength: 15, maxLength: 15 });
    const words = fc.stringMatching(/^[a-z ,.:]*$/);
    fc.assert(
      fc.property(words, separators, words, (before, between, after) => {
        const number = [...'4242424242424242'].map((digit, at) => digit + (between[at] ?? '')).join('');
        expect(hasCardNumber(`${before.replace(/[a-z]$/, '')} ${number} ${after}`)).toBe(true);
      }),
    );
  });
});

test('is taken out of what is logged, whatever its digits', () => {
  expect(maskCardNumbers('by \u0664\u0662\u0664\u0662 4242 4242\u00a04242, \u0661')).toBe('by [card number], 1');
  expect(maskCardNumbers('\u0661 \u0662')).toBe('\u0661 \u0662');
});

test('a text of any length is looked through once', () => {
  // Ten thousand runs of nineteen digits; a pattern that goes back would not end.
  expect(hasCardNumber('4242 4242 4242 4242 424, '.repeat(10_000))).toBe(false);
  expect(hasCardNumber(`${'4'.repeat(200_000)}x`)).toBe(false);
});
