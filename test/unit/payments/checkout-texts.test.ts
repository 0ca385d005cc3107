import { expect, test } from 'vitest';
import { DECLINE_CODES } from '../../../src/acquirers/decline-codes.ts';
import { declineText, languageOf, TEXTS } from '../../../src/payments/checkout/checkout-texts.ts';

test.each`
  given   | accepted                    | language
  ${null} | ${''}                       | ${'en'}
  ${null} | ${'ar'}                     | ${'ar'}
  ${null} | ${'AR-jo, en;q=0.9'}        | ${'ar'}
  ${null} | ${'en-GB,en;q=0.9,ar;q=.8'} | ${'en'}
  ${null} | ${'en;q=0.2, ar;q=0.7'}     | ${'ar'}
  ${null} | ${'ar;q=0, fr'}             | ${'en'}
  ${null} | ${'fr, de'}                 | ${'en'}
  ${null} | ${'*;;q=,ar'}               | ${'ar'}
  ${'ar'} | ${'en'}                     | ${'ar'}
  ${'en'} | ${'ar'}                     | ${'en'}
  ${'xx'} | ${'ar'}                     | ${'ar'}
`('?lang=$given with Accept-Language "$accepted" is read in $language', ({ given, accepted, language }) => {
  expect(languageOf(given, accepted)).toBe(language);
});

test('a payer reads the same of a lost, a stolen and a suspected card as of any decline', () => {
  for (const language of ['en', 'ar'] as const) {
    const told = (code: Parameters<typeof declineText>[0]) => declineText(code, language);
    for (const code of ['lost_card', 'stolen_card', 'suspected_fraud', 'restricted_card'] as const)
      expect(told(code)).toBe(told('generic_decline'));
    for (const code of DECLINE_CODES) expect(told(code)).not.toMatch(/lost|stolen|fraud|مفقود|مسروق|احتيال/i);
  }
});

test('every text is there in both languages', () => {
  expect(Object.keys(TEXTS.ar)).toEqual(Object.keys(TEXTS.en));
  for (const text of Object.values(TEXTS.ar)) expect(text).not.toBe('');
});

test.each(['en', 'ar'] as const)('the example of a date does not break between lines in %s', (language) => {
  expect(TEXTS[language].expiryWrong).toContain('04\u00a0/\u00a031');
});
